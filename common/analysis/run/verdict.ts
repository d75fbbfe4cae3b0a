import type { AnalysisVerdict, GatedDeployWord, TimeoutAction } from '../../api/analysis/analysis.ts'
import type { RunMetric } from '../kinds/run.ts'
import { CRASH_LOOPS } from './health.ts'
import type { Times } from './subject.ts'
import { TRAFFIC_DIFFERS } from './traffic.ts'
import { overMs } from './windows.ts'

/** A verdict with its reason. */
export interface Finding {
  readonly verdict: AnalysisVerdict
  readonly reason: string
}

/** What decides about an analysis run. Times are milliseconds since 1970. */
export interface VerdictInput {
  /** the metrics that count */
  readonly metrics: readonly RunMetric[]
  /** whether both arms have a pod that counts */
  readonly hasPods: boolean
  /** the start of the first window; absent: there is none yet */
  readonly startedMs: number | undefined
  readonly nowMs: number
  /** how many requests of the fork a metric needs before a Pass; 0: it counts none */
  readonly minSamples: (metric: string) => number
  readonly times: Pick<Times, 'maxSeconds' | 'noDataSeconds'>
  /** how many seconds after the end of the analysis its last windows can be polled */
  readonly lagSeconds: number
}

/** Reasons why a metric has no data of one arm. */
const ONE_SILENT = ['NoTreatmentData', 'NoControlData']

/** The reason of a metric of which no series of either arm was found in any window so far. */
export const NO_SERIES = 'NoSeries'

/** How long series are waited for if the analysis has no end. */
const NO_SERIES_SECONDS = 3_600

/** Whether nothing has changed about a metric for `noDataSeconds`, and for `seconds`. */
const hasLasted = ({ since }: RunMetric, { nowMs, times }: VerdictInput, seconds = 0): boolean =>
  nowMs - Date.parse(since) >= 1_000 * Math.max(seconds, times.noDataSeconds)

/** The verdict on all metrics together. The most urgent one is found first. Without metrics there is no Pass. */
export function verdictOf(of: VerdictInput): Finding {
  const { metrics, hasPods, startedMs, nowMs, times } = of
  const harmful = metrics.filter(({ verdict }) => verdict === 'Fail')
  if (harmful.length > 0) return { verdict: 'Fail', reason: harmOf(harmful) }
  const isPassed = metrics.length > 0 && metrics.every(({ verdict }) => verdict === 'Pass')
  if (isPassed) return { verdict: 'Pass', reason: 'Passed' }
  if (lasting(['ProviderFailed'], of)) return { verdict: 'Error', reason: 'ProviderFailed' }
  const silent = lasting(ONE_SILENT, of)
  if (silent) return { verdict: 'NoData', reason: silent.reason }
  if (times.maxSeconds === undefined && metrics.some((metric) => isNeverFound(metric, of)))
    return { verdict: 'NoData', reason: NO_SERIES }
  const isOver = startedMs !== undefined && nowMs >= overMs(startedMs, times, of.lagSeconds)
  return isOver ? timedOut(of) : { verdict: 'Wait', reason: hasPods ? waitingFor(of) : 'NoPods' }
}

/** A metric that has had one of these reasons for `noDataSeconds`. */
const lasting = (reasons: readonly string[], of: VerdictInput): RunMetric | undefined =>
  of.metrics.find((metric) => reasons.includes(metric.reason) && hasLasted(metric, of))

/** Whether no series of a metric was found for so long that none will come. */
const isNeverFound = (metric: RunMetric, of: VerdictInput): boolean =>
  metric.reason === NO_SERIES && hasLasted(metric, of, NO_SERIES_SECONDS)

/** The reason of a Fail: a crash loop is found only where nothing else is found. */
const harmOf = (harmful: readonly RunMetric[]): string =>
  harmful.every(({ reason }) => reason === CRASH_LOOPS) ? CRASH_LOOPS : 'HarmFound'

/** Reasons why a metric has no data. The first one that applies is reported. */
const WITHOUT_DATA = [...ONE_SILENT, NO_SERIES, 'NoTraffic', 'NoPods']

/**
 * The reason why metrics have no data; undefined if they have. Only those of `metrics` count that never had data, or
 * had none for `noDataSeconds`: many forks have an interval without a request now and then.
 */
function missingData(metrics: readonly RunMetric[], of: VerdictInput): string | undefined {
  const without = metrics.filter((metric) => metric.samples === undefined || hasLasted(metric, of))
  return WITHOUT_DATA.find((reason) => without.some((metric) => metric.reason === reason))
}

/** Whether harm is shown that a single pod could explain. It stays so while a later window has no data. */
const doPodsDiffer = ({ verdict, pods }: RunMetric): boolean => verdict === 'Wait' && (pods?.outer ?? 0) > 0

/** Why a verdict is held back although something is shown; undefined: nothing is. */
function heldBack(metrics: readonly RunMetric[]): string | undefined {
  if (metrics.some(doPodsDiffer)) return 'PodsDiffer'
  return metrics.some(({ reason }) => reason === TRAFFIC_DIFFERS) ? TRAFFIC_DIFFERS : undefined
}

/** The verdict when the time is over. Metrics that have passed do not matter any more. */
function timedOut(of: VerdictInput): Finding {
  if (!of.hasPods) return { verdict: 'NoData', reason: 'NoPods' }
  const waiting = of.metrics.filter(({ verdict }) => verdict === 'Wait')
  const neverAnswered = waiting.some(({ reason, samples }) => reason === 'ProviderFailed' && samples === undefined)
  if (neverAnswered) return { verdict: 'Error', reason: 'ProviderFailed' }
  const missing = missingData(waiting, of)
  if (missing !== undefined) return { verdict: 'NoData', reason: missing }
  const held = heldBack(waiting)
  if (held !== undefined) return { verdict: 'Inconclusive', reason: held }
  const isFew = waiting.some(({ name, samples }) => (samples?.treatment ?? 0) < of.minSamples(name))
  return { verdict: 'Inconclusive', reason: isFew ? 'TooFewSamples' : 'NotShown' }
}

function waitingFor(of: VerdictInput): string {
  const { metrics } = of
  if (metrics.some(({ reason }) => reason === 'ProviderFailed')) return 'ProviderFailed'
  // A series may come with the first request, so that it is missing is told later.
  const found = metrics.filter((metric) => metric.reason !== NO_SERIES || hasLasted(metric, of))
  return missingData(found, of) ?? heldBack(metrics) ?? 'Measuring'
}

/** Reasons that never promote: what was measured cannot be compared, or harm is shown. The last is an old one. */
const NEVER_PROMOTED: readonly string[] = ['PodsDiffer', TRAFFIC_DIFFERS, 'ControlsDiffer']

/**
 * What follows from a verdict. Undefined for Wait and Aborted. `onTimeout: Promote` is only meant for runs in which
 * neither harm nor safety was shown, and `onNoData` for a fork that may be why there is no data: a wrong name in the
 * analysis takes no pods.
 */
export function actionOf(
  { verdict, reason }: Finding,
  { onTimeout, onNoData }: Pick<Times, 'onTimeout' | 'onNoData'>,
): TimeoutAction | undefined {
  switch (verdict) {
    case 'Pass':
      return 'Promote'
    case 'Fail':
      return 'RollBack'
    case 'Inconclusive':
      return onTimeout === 'Promote' && NEVER_PROMOTED.includes(reason) ? 'Keep' : onTimeout
    case 'NoData':
    case 'Error':
      return reason === NO_SERIES ? 'Keep' : onNoData
    default:
      return undefined
  }
}

/**
 * The verdict in the words of Gated Deployments. Every end but a Pass is `harm`, so that a script which waits for it
 * fails closed. An aborted run is resumed later, unless the run of the strategy `isOver`.
 */
export function gatedDeployStatus(verdict: AnalysisVerdict, isOver = false): GatedDeployWord {
  if (verdict === 'Pass') return 'noHarm'
  return (verdict === 'Wait' || verdict === 'Aborted') && !isOver ? 'notSignificant' : 'harm'
}
