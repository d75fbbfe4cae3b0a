import type { AnalysisRun, RunMetric } from '../../common/analysis/kinds/run.ts'
import { expectedStart } from '../../common/analysis/run/fold.ts'
import type { PolledWindow, SeenArms } from '../../common/analysis/run/poll.ts'
import { nextWindow } from '../../common/analysis/run/windows.ts'
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

/** Whether a pass would learn something: of a window, of pods, or that there are none yet. */
export function isWorthwhile({ run, times, startedMs, nowMs }: Asking, ready: readonly Due[]): boolean {
  if (ready.length > 0 || run.status === undefined) return true
  return run.spec.metrics.some(({ name, provider }) => {
    const stored = run.status?.metrics?.find((metric) => metric.name === name) ?? UNSEEN
    return provider === KUBERNETES && nowMs - expectedStart(stored, { startedMs }) >= 1_000 * times.intervalSeconds
  })
}
