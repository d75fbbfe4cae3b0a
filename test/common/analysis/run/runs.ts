/** Analysis runs and polls for tests. */
import type { AnalysisRun, AnalysisRunSpec, AnalysisRunStatus } from '../../../../common/analysis/kinds/run.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { statusAfterLook } from '../../../../common/analysis/run/look.ts'
import type { ArmPodView, ArmPodViews, Poll, PolledWindow } from '../../../../common/analysis/run/poll.ts'
import type { Times } from '../../../../common/analysis/run/subject.ts'
import { analysisWithDefaults, HEALTH_METRIC } from '../../../../common/api/analysis/defaults.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'

/** When the run was created. Its subject moves its windows by nothing. */
export const CREATED_MS = Date.parse('2026-11-23T12:00:00.000Z')
/** The time so many seconds later. */
export const at = (seconds: number) => new Date(CREATED_MS + 1_000 * seconds).toISOString()
export const TIMES: Times = analysisWithDefaults({ intervalSeconds: 10, warmUpSeconds: 0, noDataSeconds: 300 })

export const ERRORS: Metric = {
  ...{ name: 'errors', kind: 'ErrorRate', provider: 'prometheus', tolerancePercent: 20, maxRegressionPercent: 100 },
  acceptablePercent: 1,
}
export const LATENCY: Metric = {
  ...{ name: 'latency', kind: 'Latency', provider: 'prometheus', tolerancePercent: 10, maxRegressionPercent: 25 },
}
export const DECIDED: Metric = { name: 'decided', kind: 'Decision', provider: 'plugin' }
export { HEALTH_METRIC as HEALTH }

interface RunOf {
  readonly metrics?: readonly Metric[]
  readonly spec?: Partial<AnalysisRunSpec>
  readonly status?: AnalysisRunStatus
}

export const aRun = ({ metrics = [ERRORS], spec = {}, status }: RunOf = {}): AnalysisRun => ({
  metadata: {
    name: 'cart-1',
    namespace: 'shop',
    uid: 'run-uid',
    creationTimestamp: new Date(CREATED_MS).toISOString(),
  },
  spec: {
    experiment: { name: 'cart', uid: 'uid', generation: 1 },
    ...{ subject: '0000000000', attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
    metrics,
    ...spec,
  },
  ...(status ? { status } : {}),
})

export const aPod = (name: string, of: Partial<ArmPodView> = {}): ArmPodView => ({
  ...{ name, uid: `uid-${name}`, createdMs: CREATED_MS - 100_000, readySinceMs: CREATED_MS - 90_000, restarts: 0 },
  ...of,
})
export const ARMS: ArmPodViews = {
  treatment: [aPod('fork-1'), aPod('fork-2')],
  control: [aPod('cart-1'), aPod('cart-2')],
}

/** Events among requests of both arms: `[events, requests]`. */
export const events = (own: readonly [number, number], others: readonly [number, number]): WindowAnswer => ({
  is: 'data',
  data: {
    is: 'events',
    treatment: [{ events: own[0], exposure: own[1] }],
    control: [{ events: others[0], exposure: others[1] }],
  },
})
export const decision = (word: 'Wait' | 'Pass' | 'Fail', message = ''): WindowAnswer => ({
  is: 'data',
  data: { is: 'decision', decision: word, message },
})
export const FAILED: WindowAnswer = { is: 'failed', message: '503' }

/** A window from second `from` to second `to` after the first one begins. */
export const window = (
  answer: WindowAnswer,
  from: number,
  to: number,
  of: Partial<PolledWindow> = {},
): PolledWindow => ({
  ...{
    metric: 'errors',
    window: { start: CREATED_MS + 1_000 * from, end: CREATED_MS + 1_000 * to },
    skipped: 0,
    answer,
  },
  ...of,
})

export const aPoll = (atS: number, windows: readonly PolledWindow[] = [], of: Partial<Poll> = {}): Poll => ({
  ...{ run: 'run-uid', atMs: CREATED_MS + 1_000 * atS, looks: 0, arms: ARMS, windows },
  ...of,
})

/** The run after a look. The end of a window need not be old. */
export const lookedAt = (run: AnalysisRun, poll: Poll, times: Times = TIMES): AnalysisRun => ({
  ...run,
  status: statusAfterLook(run, { poll, times, lagSeconds: () => 0 }),
})

/** The run after one window after the other, each an interval long. */
export const lookedThrough = (run: AnalysisRun, answers: readonly WindowAnswer[], metric = 'errors'): AnalysisRun =>
  answers.reduce(
    (former, answer, index) =>
      lookedAt(former, aPoll(10 * index + 10, [window(answer, 10 * index, 10 * index + 10, { metric })])),
    run,
  )

export const statusOf = ({ status }: AnalysisRun): AnalysisRunStatus => {
  if (!status) throw new Error('there was no look')
  return status
}
export const metricOf = (run: AnalysisRun, name = 'errors') => {
  const metric = statusOf(run).metrics?.find((each) => each.name === name)
  if (!metric) throw new Error(`there is no metric ${name}`)
  return metric
}
