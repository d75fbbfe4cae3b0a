import type { AnalysisVerdict, TimeoutAction } from '../../api/analysis/analysis.ts'
import type { RunMetric } from '../kinds/run.ts'
import type { Times } from './subject.ts'

/** A verdict with its reason. */
export interface Finding {
  readonly verdict: AnalysisVerdict
  readonly reason: string
}

/** What decides about an analysis run. Times are milliseconds since 1970. */
export interface VerdictOf {
  /** the metrics that count */
  readonly metrics: readonly RunMetric[]
  /** whether both arms have a pod that counts */
  readonly hasPods: boolean
  /** the start of the first window; absent: there is none yet */
  readonly startedMs: number | undefined
  readonly nowMs: number
  readonly minSamples: number
  readonly times: Pick<Times, 'maxSeconds' | 'noDataSeconds'>
}

/** Reasons why a metric has no data of one arm. */
const ONE_SILENT = ['NoTreatmentData', 'NoControlData']

/** The verdict on all metrics together, from what is most urgent to what is least. */
export function verdictOf(of: VerdictOf): Finding {
  const { metrics, hasPods, startedMs, nowMs, times } = of
  if (metrics.some(({ verdict }) => verdict === 'Fail')) return { verdict: 'Fail', reason: 'HarmFound' }
  if (metrics.every(({ verdict }) => verdict === 'Pass')) return { verdict: 'Pass', reason: 'Passed' }
  const hasLasted = ({ since }: RunMetric) => nowMs - Date.parse(since) >= 1_000 * times.noDataSeconds
  const lasting = (reasons: readonly string[]) =>
    metrics.find((metric) => reasons.includes(metric.reason) && hasLasted(metric))
  if (lasting(['ProviderFailed'])) return { verdict: 'Error', reason: 'ProviderFailed' }
  const silent = lasting(ONE_SILENT)
  if (silent) return { verdict: 'NoData', reason: silent.reason }
  const { maxSeconds } = times
  const isOver = maxSeconds !== undefined && startedMs !== undefined && nowMs >= startedMs + 1_000 * maxSeconds
  return isOver ? timedOut(of) : { verdict: 'Wait', reason: hasPods ? waitingFor(metrics) : 'NoPods' }
}

/** Why a metric has nothing to show: from the most telling reason to the least. */
const WITHOUT_DATA = [...ONE_SILENT, 'NoTraffic']

function timedOut({ metrics, hasPods, minSamples }: VerdictOf): Finding {
  if (!hasPods) return { verdict: 'NoData', reason: 'NoPods' }
  const has = (reason: string) => metrics.some((metric) => metric.reason === reason)
  if (has('ProviderFailed')) return { verdict: 'Error', reason: 'ProviderFailed' }
  const missing = WITHOUT_DATA.find(has)
  if (missing !== undefined) return { verdict: 'NoData', reason: missing }
  if (has('PodsDiffer')) return { verdict: 'Inconclusive', reason: 'PodsDiffer' }
  const isFew = metrics.some(({ verdict, samples }) => verdict === 'Wait' && (samples?.treatment ?? 0) < minSamples)
  return { verdict: 'Inconclusive', reason: isFew ? 'TooFewSamples' : 'NotShown' }
}

const URGENT = ['ProviderFailed', ...WITHOUT_DATA, 'PodsDiffer']

const waitingFor = (metrics: readonly RunMetric[]): string =>
  URGENT.find((reason) => metrics.some((metric) => metric.reason === reason)) ?? 'Measuring'

/** What follows from a verdict. Undefined while it waits, and after an end by others. */
export function actionOf(
  verdict: AnalysisVerdict,
  { onTimeout, onNoData }: Pick<Times, 'onTimeout' | 'onNoData'>,
): TimeoutAction | undefined {
  switch (verdict) {
    case 'Pass':
      return 'Promote'
    case 'Fail':
      return 'RollBack'
    case 'Inconclusive':
      return onTimeout
    case 'NoData':
    case 'Error':
      return onNoData
    default:
      return undefined
  }
}
