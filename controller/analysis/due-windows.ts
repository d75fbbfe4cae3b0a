import type { AnalysisRun, RunMetric } from '../../common/analysis/kinds/run.ts'
import { expectedStart } from '../../common/analysis/run/fold.ts'
import type { PolledWindow, SeenArms } from '../../common/analysis/run/poll.ts'
import { MOST_INTERVALS, nextWindow } from '../../common/analysis/run/windows.ts'
import type { CompleteAnalysis } from '../../common/api/analysis/defaults.ts'
import { KUBERNETES, type Metric } from '../../common/api/analysis/metric.ts'
import type { AnalysisArms } from '../../common/assess/analysis.ts'

/** A run that goes on, and what it is asked. */
export interface Asking {
  readonly run: AnalysisRun
  readonly arms: AnalysisArms
  readonly times: CompleteAnalysis
  readonly seen: SeenArms
  readonly startedMs: number
  readonly nowMs: number
}

/** A window that can be asked for now. */
export interface Due extends Omit<PolledWindow, 'answer'> {
  readonly of: Metric
}

/** A metric before its first window. */
const UNSEEN: Pick<RunMetric, 'windowEnd'> = {}

/** The windows that have ended, of the metrics that a provider answers. */
export function dueWindows(
  { run, times, startedMs, nowMs }: Asking,
  lagSeconds: (provider: string) => number,
): readonly Due[] {
  return run.spec.metrics
    .filter(({ provider }) => provider !== KUBERNETES)
    .flatMap((of) => {
      const stored = run.status?.metrics?.find(({ name }) => name === of.name) ?? UNSEEN
      const { intervalSeconds } = times
      const startMs = expectedStart(stored, { startedMs })
      const found = nextWindow({ startMs, intervalSeconds, lagSeconds: lagSeconds(of.provider), nowMs })
      return found.is === 'due' ? [{ of, metric: of.name, window: found.window, skipped: found.skipped }] : []
    })
}

interface Choice {
  /** whether the backoff of a provider is over */
  readonly isAllowed: (provider: string) => boolean
  readonly isBusy: (provider: string) => boolean
  /** whether the run ends without another answer */
  readonly isEnding: () => boolean
}

/**
 * The windows that are asked for now, also those of busy providers. A run does not end for want of data that nobody has
 * asked for: if it would end, `isLast`, all of its providers are asked once more.
 */
export function wantedWindows(due: readonly Due[], { isAllowed, isBusy, isEnding }: Choice) {
  const isReady = ({ of }: Due) => isAllowed(of.provider) && !isBusy(of.provider)
  const isLast = (due.length === 0 || !due.every(isReady)) && isEnding()
  return { wanted: isLast ? due : due.filter(({ of }) => isAllowed(of.provider)), isLast }
}

/** The milliseconds until the longest window has ended and can be asked for. No look is later. */
export function longestLookMs(
  { spec }: AnalysisRun,
  { intervalSeconds }: Pick<CompleteAnalysis, 'intervalSeconds'>,
  lagSeconds: (provider: string) => number,
): number {
  const lag = Math.max(...spec.metrics.map(({ provider }) => lagSeconds(provider)))
  return 1_000 * (MOST_INTERVALS * intervalSeconds + lag)
}

/** Whether a pass would learn something: of a window, of pods, or that there are none yet. */
export function isWorthwhile({ run, times, startedMs, nowMs }: Asking, ready: readonly Due[]): boolean {
  if (ready.length > 0 || run.status === undefined) return true
  return run.spec.metrics.some(({ name, provider }) => {
    const stored = run.status?.metrics?.find((metric) => metric.name === name) ?? UNSEEN
    return provider === KUBERNETES && nowMs - expectedStart(stored, { startedMs }) >= 1_000 * times.intervalSeconds
  })
}
