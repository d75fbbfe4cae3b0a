import { KUBERNETES, type Metric } from '../../api/analysis/metric.ts'
import type { AnalysisRun, RunMetric, RunStatus, RunWindows } from '../kinds/run.ts'
import { METRIC_ENGINES } from '../metrics/registry.ts'
import type { Question } from '../metrics/rule.ts'
import { countingPods, firstCounting } from './arms.ts'
import { type FoldContext, type Folded, folded, foldedHealth } from './fold.ts'
import { messageOf } from './message.ts'
import type { Poll } from './poll.ts'
import { countsRequests, requestsNeeded } from './requests.ts'
import { offsetSeconds, type Times } from './subject.ts'
import { actionOf, type Finding, verdictOf } from './verdict.ts'
import { nextLookMs } from './windows.ts'

/** What a look needs beside the run. */
export interface LookOf {
  readonly poll: Poll
  readonly times: Times
  /** how old the end of a window of a provider must be; 0 for Kubernetes */
  readonly lagSeconds: (provider: string) => number
}

const time = (ms: number): string => new Date(ms).toISOString()

/** Whether nothing can change a verdict any more. */
export const isFinal = (
  status: Pick<RunStatus, 'verdict'> | undefined,
  { continueAfterPass }: Pick<Times, 'continueAfterPass'>,
) => status !== undefined && status.verdict !== 'Wait' && !(status.verdict === 'Pass' && continueAfterPass)

/**
 * The start of the first window in milliseconds since 1970: the first moment when both arms have a pod that counts,
 * moved by the subject, so that not all ask at once. Infinity: an arm has none.
 */
export function startOf({ metadata, spec, status }: AnalysisRun, { arms }: Pick<Poll, 'arms'>, times: Times): number {
  if (status?.startedAt !== undefined) return Date.parse(status.startedAt)
  const first = Math.max(firstCounting(arms, times.warmUpSeconds), Date.parse(metadata.creationTimestamp ?? ''))
  return first + 1_000 * offsetSeconds(spec.subject, times.intervalSeconds)
}

/** A metric before its first window. */
const newMetric = ({ name }: Metric, sinceMs: number): RunMetric => ({
  name,
  verdict: 'Wait',
  reason: 'Measuring',
  since: time(sinceMs),
})

/**
 * Metrics that are only told do not count, nor do those without a bound share α. A metric that is only told is judged
 * as if it counted, so there is at least one.
 */
export const questionOf = ({ alpha, beta, minSamples, subject, metrics }: AnalysisRun['spec']): Question => ({
  alpha,
  beta,
  minSamples,
  subject,
  metrics: Math.max(1, metrics.filter((metric) => counts(metric) && METRIC_ENGINES[metric.kind].isBounded).length),
})

const counts = (metric: Metric | undefined): boolean => metric !== undefined && metric.dryRun !== true

/**
 * The status of a run after a look. Equal arguments give an equal status, so that a look whose write was lost is made
 * again, and none counts twice: a window counts only where the last one of its metric ended.
 */
export function looked(run: AnalysisRun, of: LookOf): RunStatus {
  const { poll, times } = of
  const { spec, status } = run
  const startMs = startOf(run, poll, times)
  const startedMs = startMs <= poll.atMs ? startMs : undefined
  const results = spec.metrics.map((metric) => lookedAt(metric, run, { ...of, startedMs }))
  const metrics = results.map((result) => result.metric)
  const arms = countingPods(poll.arms, poll.atMs, times.warmUpSeconds)
  const needed = new Map(spec.metrics.map((metric) => [metric.name, requestsNeeded(metric, spec.minSamples)]))
  const found = verdictOf({
    metrics: metrics.filter((_, index) => counts(spec.metrics[index])),
    hasPods: arms.treatment.length > 0 && arms.control.length > 0,
    startedMs,
    nowMs: poll.atMs,
    minSamples: (name) => needed.get(name) ?? 0,
    times,
  })
  // It goes on after a Pass only to find harm.
  const finding = status?.verdict === 'Pass' && found.verdict !== 'Fail' ? PASSED : found
  const failures = new Map(
    results.flatMap(({ metric, failure }) => (failure === undefined ? [] : [[metric.name, failure]])),
  )
  return {
    ...toldSince(status, finding, poll.atMs),
    message: messageOf({ finding, metrics, failures, startedMs, nowMs: poll.atMs }),
    ...(startedMs === undefined ? {} : { startedAt: time(startedMs) }),
    ...endOf(finding, poll.atMs, times),
    ...(isFinal(finding, times) ? {} : { nextLookAt: time(nextLook(run, metrics, { ...of, startMs })) }),
    looks: (status?.looks ?? 0) + 1,
    requests: Math.max(
      0,
      ...spec.metrics.map((metric, index) => (countsRequests(metric) ? (metrics[index]?.samples?.treatment ?? 0) : 0)),
    ),
    windows: added(
      status?.windows,
      results.map(({ windows }) => windows),
    ),
    metrics,
  }
}

const PASSED: Finding = { verdict: 'Pass', reason: 'Passed' }

interface Started extends LookOf {
  readonly startedMs: number | undefined
}

/** One metric of a run after a look. */
function lookedAt(metric: Metric, { spec, status }: AnalysisRun, { poll, times, startedMs }: Started): Folded {
  const former = status?.metrics?.find(({ name }) => name === metric.name) ?? newMetric(metric, poll.atMs)
  if (startedMs === undefined) return { metric: former, windows: {} }
  const { intervalSeconds, warmUpSeconds } = times
  const context: FoldContext = { question: questionOf(spec), intervalSeconds, warmUpSeconds, poll, startedMs }
  if (metric.provider === KUBERNETES) return foldedHealth(former, metric, context)
  const polled = poll.windows.find((window) => window.metric === metric.name)
  return polled ? folded(former, metric, polled, context) : { metric: former, windows: {} }
}

/** Verdict and reason, with the time since when both are so. */
export const toldSince = (
  status: Pick<RunStatus, 'verdict' | 'reason' | 'since'> | undefined,
  { verdict, reason }: Finding,
  nowMs: number,
) => {
  const isSame = status?.verdict === verdict && status.reason === reason
  return { verdict, reason, since: isSame ? status.since : time(nowMs) }
}

/** What a verdict adds to the status. */
function endOf({ verdict }: Finding, nowMs: number, times: Times): Pick<RunStatus, 'finishedAt' | 'action'> {
  const action = actionOf(verdict, times)
  return {
    ...(isFinal({ verdict }, times) ? { finishedAt: time(nowMs) } : {}),
    ...(action === undefined ? {} : { action }),
  }
}

interface NextOf extends LookOf {
  readonly startMs: number
}

/** When the next look is worth while: when the first window of any metric has ended and can be asked for. */
function nextLook(
  run: AnalysisRun,
  metrics: readonly RunMetric[],
  { poll, times, lagSeconds, startMs }: NextOf,
): number {
  const { intervalSeconds } = times
  if (startMs > poll.atMs) return Math.min(startMs + 1_000 * intervalSeconds, poll.atMs + 1_000 * intervalSeconds)
  const looks = run.spec.metrics.map(({ name, provider }) => {
    const { windowEnd } = metrics.find((metric) => metric.name === name) ?? {}
    const polled = poll.windows.find(({ metric }) => metric === name)
    const endMs = windowEnd === undefined ? startMs : Date.parse(windowEnd)
    return nextLookMs(endMs, polled?.window.end ?? endMs, intervalSeconds, lagSeconds(provider))
  })
  return Math.max(poll.atMs + 1_000, Math.min(...looks))
}

const NO_WINDOWS: RunWindows = { counted: 0, empty: 0, unusable: 0, skipped: 0 }

const added = (before: RunWindows = NO_WINDOWS, more: readonly Partial<RunWindows>[]): RunWindows =>
  more.reduce<RunWindows>(
    (sum, { counted = 0, empty = 0, unusable = 0, skipped = 0 }) => ({
      counted: sum.counted + counted,
      empty: sum.empty + empty,
      unusable: sum.unusable + unusable,
      skipped: sum.skipped + skipped,
    }),
    before,
  )
