import type { AnalysisRun, RunMetric } from '../../common/analysis/kinds/run.ts'
import { expectedStart } from '../../common/analysis/run/fold.ts'
import { isFinal, longestLag, statusAfterLook } from '../../common/analysis/run/look.ts'
import type { ArmPodViews, Poll, PolledWindow } from '../../common/analysis/run/poll.ts'
import { MOST_INTERVALS, nextWindow, overMs } from '../../common/analysis/run/windows.ts'
import type { AnalysisVerdict } from '../../common/api/analysis/analysis.ts'
import type { CompleteAnalysis } from '../../common/api/analysis/defaults.ts'
import { KUBERNETES, type Metric } from '../../common/api/analysis/metric.ts'
import type { AnalysisArms } from '../../common/assess/analysis.ts'

/** A run that goes on, and the facts for its next poll. */
export interface PollInput {
  readonly run: AnalysisRun
  readonly arms: AnalysisArms
  readonly times: CompleteAnalysis
  readonly seen: ArmPodViews
  readonly startedMs: number
  readonly nowMs: number
}

/** A window that can be asked for now. */
export interface DueWindow extends Omit<PolledWindow, 'answer'> {
  readonly of: Metric
}

/** A metric before its first window. */
const UNSEEN: Pick<RunMetric, 'windowEnd'> = {}

/** The windows that have ended, of the metrics that a provider answers. */
export function dueWindows(
  { run, times, startedMs, nowMs }: PollInput,
  lagSeconds: (provider: string) => number,
): readonly DueWindow[] {
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
  /** how many milliseconds a provider must not be asked; 0 or less: it may be asked */
  readonly backoffMs: (provider: string) => number
  readonly isBusy: (provider: string) => boolean
  /** the verdict with which the run ends without another answer; undefined: it goes on */
  readonly ending: () => AnalysisVerdict | undefined
}

/** The final verdict of a run when `poll` is recorded; undefined: it goes on. */
export function finalVerdictAfter(
  { run, times }: PollInput,
  poll: Poll,
  lagSeconds: (provider: string) => number,
): AnalysisVerdict | undefined {
  const status = statusAfterLook(run, { poll, times, lagSeconds })
  return isFinal(status, times) ? status.verdict : undefined
}

/** The endings that no answer of a provider can change. Undefined: the run goes on anyway. */
const SHOWN: readonly unknown[] = ['Pass', 'Fail', undefined]

/**
 * The windows to poll now: those of all providers without a backoff, even of busy ones. `isLast`: without their answers
 * the run would end with neither Pass nor Fail, so all of its providers are asked once more before it ends.
 */
export function windowsToPoll(due: readonly DueWindow[], { backoffMs, isBusy, ending }: Choice) {
  const isAllowed = ({ of }: DueWindow) => backoffMs(of.provider) <= 0
  const isReady = (each: DueWindow) => isAllowed(each) && !isBusy(each.of.provider)
  const isLast = !due.every(isReady) && !SHOWN.includes(ending())
  return { wanted: isLast ? due : due.filter(isAllowed), isLast }
}

/** The milliseconds until the next poll: an interval, or less if the run begins or a provider may be asked earlier. */
export function nextDueMs(
  { times, startedMs, nowMs }: PollInput,
  due: readonly DueWindow[],
  backoffMs: Choice['backoffMs'],
): number {
  const intervalMs = 1_000 * times.intervalSeconds
  if (startedMs > nowMs) return Math.min(intervalMs, startedMs - nowMs)
  return Math.max(1_000, Math.min(intervalMs, ...due.map(({ of }) => backoffMs(of.provider))))
}

/** The milliseconds until a window of the greatest length can be asked for. The next look is never later. */
export function longestLookMs(
  run: AnalysisRun,
  { intervalSeconds }: Pick<CompleteAnalysis, 'intervalSeconds'>,
  lagSeconds: (provider: string) => number,
): number {
  return 1_000 * (MOST_INTERVALS * intervalSeconds + longestLag(run, lagSeconds))
}

/**
 * The milliseconds until the next look that the run has planned; 0 or less: it is due. A look is due at once if it is
 * planned later than `times` allow: these may have become shorter since then, or the clock of the process that planned
 * it was wrong.
 */
export function untilNextLookMs(
  run: AnalysisRun,
  { times, nowMs }: Pick<PollInput, 'times' | 'nowMs'>,
  lagSeconds: (provider: string) => number,
): number {
  const { verdict, nextLookAt, startedAt } = run.status ?? {}
  if (nextLookAt === undefined) return 0
  const lag = longestLag(run, lagSeconds)
  const waitMs = Date.parse(nextLookAt) - nowMs
  if (waitMs > 1_000 * (times.intervalSeconds + lag)) return 0
  // after a Pass it goes on, whatever the time
  const hasEnd = verdict === 'Wait' && startedAt !== undefined
  return hasEnd ? Math.min(waitMs, overMs(Date.parse(startedAt), times, lag) - nowMs) : waitMs
}

/** Whether a pass would learn something: a window is ready, a Health metric is due, or the run has no status yet. */
export function hasNewEvidence({ run, times, startedMs, nowMs }: PollInput, ready: readonly DueWindow[]): boolean {
  if (ready.length > 0 || run.status === undefined) return true
  return run.spec.metrics.some(({ name, provider }) => {
    const stored = run.status?.metrics?.find((metric) => metric.name === name) ?? UNSEEN
    return provider === KUBERNETES && nowMs - expectedStart(stored, { startedMs }) >= 1_000 * times.intervalSeconds
  })
}
