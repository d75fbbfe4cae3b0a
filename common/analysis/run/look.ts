import { KUBERNETES, type Metric } from '../../api/analysis/metric.ts'
import type { AnalysisRun, AnalysisRunStatus, RunMetric, RunPower, RunWindows } from '../kinds/run.ts'
import type { RunTraffic } from '../kinds/run-traffic.ts'
import type { DecisionBounds } from '../metrics/metric-engine.ts'
import { engineOf } from '../metrics/registry.ts'
import { countingPods, firstCounting } from './arms.ts'
import { expectedStart, type FoldContext, type FoldedMetric, foldHealth, foldWindow } from './fold.ts'
import { withoutForeignEvidence } from './memory.ts'
import { lookMessage } from './message.ts'
import { shortfall } from './pass-needs.ts'
import type { Poll } from './poll.ts'
import { armsTraffic, isTooEarly, powerOf, sharedTraffic } from './power.ts'
import { countsRequests, requestsNeeded } from './requests.ts'
import { offsetSeconds, type Times } from './subject.ts'
import { actionOf, type Finding, verdictOf } from './verdict.ts'
import { nextLookMs, overMs } from './windows.ts'

/** What a look needs beside the run. */
interface LookInput {
  readonly poll: Poll
  readonly times: Times
  /** how old the end of a window of a provider must be; 0 for Kubernetes */
  readonly lagSeconds: (provider: string) => number
}

const time = (ms: number): string => new Date(ms).toISOString()

/** Whether the verdict can never change again. */
export const isFinal = (
  status: Pick<AnalysisRunStatus, 'verdict'> | undefined,
  { continueAfterPass }: Pick<Times, 'continueAfterPass'>,
) => status !== undefined && status.verdict !== 'Wait' && !(status.verdict === 'Pass' && continueAfterPass)

/**
 * The start of the first window in milliseconds since 1970: the first moment when both arms have a pod that counts,
 * but not before the run was created. An offset by subject spreads the polls of many runs. Infinity: an arm has none.
 */
export function startOf({ metadata, spec, status }: AnalysisRun, { arms }: Pick<Poll, 'arms'>, times: Times): number {
  if (status?.startedAt !== undefined) return Date.parse(status.startedAt)
  const { creationTimestamp } = metadata
  const createdMs = creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp)
  const first = Math.max(firstCounting(arms, times.warmUpSeconds), createdMs)
  return first + 1_000 * offsetSeconds(spec.subject, times.intervalSeconds)
}

/** A metric before its first window. */
const newMetric = ({ name }: Metric, sinceMs: number): RunMetric => ({
  name,
  verdict: 'Wait',
  reason: 'Measuring',
  since: time(sinceMs),
})

type QuestionFields = Pick<AnalysisRun['spec'], 'alpha' | 'beta' | 'minSamples' | 'metrics'>

/**
 * What the decisions of a run depend on. A metric with `dryRun` does not count, and a metric whose kind bounds no error
 * takes no part of α. A metric with `dryRun` is still judged as if it counted, so the number of metrics is at least 1.
 */
export const decisionBounds = ({ alpha, beta, minSamples, metrics }: QuestionFields): DecisionBounds => ({
  alpha,
  beta,
  minSamples,
  metrics: Math.max(1, metrics.filter((metric) => counts(metric) && engineOf(metric).isBounded).length),
})

const counts = ({ dryRun = false }: Metric): boolean => !dryRun

/**
 * The status of a run after a look. Equal arguments give an equal status, so a look whose write was lost is repeated.
 * Nothing counts twice: a window counts only if it begins where the last one of its metric ended. A final verdict
 * stays.
 */
export function statusAfterLook(run: AnalysisRun, of: LookInput): AnalysisRunStatus {
  const { poll, times } = of
  const { spec, status } = run
  if (status && isFinal(status, times)) return status
  const startMs = startOf(run, poll, times)
  const hasStarted = status?.startedAt !== undefined || startMs <= poll.atMs
  const startedMs = hasStarted ? startMs : undefined
  const results = spec.metrics.map((metric) => ({ of: metric, ...lookedAt(metric, run, { ...of, startedMs }) }))
  const finding = findingOf(run, results, { ...of, startedMs })
  return {
    ...withTransitionTime(status, finding, poll.atMs),
    message: lookMessage({ finding, metrics: withShortfalls(run, results, finding), startedMs, nowMs: poll.atMs }),
    ...(startedMs === undefined ? {} : { startedAt: time(startedMs) }),
    ...endOf(finding, poll.atMs, times),
    ...(isFinal(finding, times) ? {} : { nextLookAt: time(nextLook(run, results, { ...of, startMs })) }),
    looks: (status?.looks ?? 0) + 1,
    requests: requestsIn(results),
    windows: added(
      status?.windows,
      results.map(({ windows }) => windows),
    ),
    ...powerIn(run, results, { ...of, startedMs }),
    metrics: results.map(({ metric }) => metric),
  }
}

/** Why neither harm nor safety was shown, at the end of a run. */
const NOT_SHOWN: readonly string[] = ['NotShown', 'TooFewSamples']

/** The results, with what those had that count and have not passed, where the run ends because of that. */
const withShortfalls = ({ spec }: AnalysisRun, results: readonly LookedMetric[], { reason }: Finding) =>
  results.map((result) =>
    NOT_SHOWN.includes(reason) && counts(result.of) && result.metric.verdict === 'Wait'
      ? { ...result, shortfall: shortfall(result.of, result.metric, decisionBounds(spec)) }
      : result,
  )

/** A metric of the run after the look, and how its window was counted. */
interface LookedMetric extends FoldedMetric {
  readonly of: Metric
}

/** The verdict after a look. The run goes on after a Pass only to find harm. */
function findingOf(run: AnalysisRun, results: readonly LookedMetric[], of: Started): Finding {
  const { spec, status } = run
  const { poll, times, startedMs } = of
  const counting = results.filter((result) => counts(result.of))
  const arms = countingPods(poll.arms, poll.atMs, times.warmUpSeconds)
  const needed = new Map(counting.map((result) => [result.of.name, requestsNeeded(result.of, spec.minSamples)]))
  const found = verdictOf({
    metrics: counting.map(({ metric }) => metric),
    hasPods: arms.treatment.length > 0 && arms.control.length > 0,
    startedMs,
    nowMs: poll.atMs,
    minSamples: (name) => needed.get(name) ?? 0,
    times,
    lagSeconds: longestLag(run, of.lagSeconds),
  })
  return status?.verdict === 'Pass' && found.verdict !== 'Fail' ? PASSED : found
}

const PASSED: Finding = { verdict: 'Pass', reason: 'Passed' }

interface Started extends LookInput {
  readonly startedMs: number | undefined
}

/** The most requests of the fork that a metric has counted. */
const requestsIn = (results: readonly LookedMetric[]): number =>
  Math.max(0, ...results.map(({ of, metric }) => (countsRequests(of) ? (metric.samples?.treatment ?? 0) : 0)))

/** What the traffic can show, by the first Latency metric that counts. It changes only with a window of this metric. */
function powerIn(
  { spec, status }: AnalysisRun,
  results: readonly LookedMetric[],
  { poll, times, startedMs }: Started,
): Pick<AnalysisRunStatus, 'traffic' | 'power'> {
  const first = results.find(({ of }) => isTimed(of))
  if (!first || startedMs === undefined) return {}
  const { metric: counted, of: metric, spread, windows } = first
  if (!windows.counted) return present(status ?? {})
  const traffic = armsTraffic({ counted, spread, startedMs })
  if (!traffic) return {}
  const power = isTooEarly(counted)
    ? undefined
    : powerOf({ metric, traffic, pods: poll.arms.treatment.length, times, question: decisionBounds(spec) })
  return present({ traffic: sharedTraffic(traffic, poll.arms), power })
}

/** Whether a metric is a Latency metric that counts. The power of an analysis is computed from the first one. */
export const isTimed = (metric: Metric): boolean => metric.kind === 'Latency' && counts(metric)

const present = ({ traffic, power }: { traffic?: RunTraffic | undefined; power?: RunPower | undefined }) => ({
  ...(traffic ? { traffic } : {}),
  ...(power ? { power } : {}),
})

/** One metric of a run after a look. */
function lookedAt(metric: Metric, { spec, status }: AnalysisRun, { poll, times, startedMs }: Started): FoldedMetric {
  const stored = status?.metrics?.find(({ name }) => name === metric.name) ?? newMetric(metric, poll.atMs)
  const former = withoutForeignEvidence(stored, metric, poll.atMs)
  if (startedMs === undefined) return { metric: former, windows: {} }
  const { intervalSeconds, warmUpSeconds } = times
  const context: FoldContext = { question: decisionBounds(spec), intervalSeconds, warmUpSeconds, poll, startedMs }
  if (metric.provider === KUBERNETES) return foldHealth(former, metric, context)
  const polled = poll.windows.find((window) => window.metric === metric.name)
  return polled ? foldWindow(former, metric, polled, context) : { metric: former, windows: {} }
}

/** Verdict and reason, with the time of their last change. */
export const withTransitionTime = (
  status: Pick<AnalysisRunStatus, 'verdict' | 'reason' | 'since'> | undefined,
  { verdict, reason }: Finding,
  nowMs: number,
) => {
  const isSame = status?.verdict === verdict && status.reason === reason
  return { verdict, reason, since: isSame ? status.since : time(nowMs) }
}

/** What a verdict adds to the status. */
function endOf(finding: Finding, nowMs: number, times: Times): Pick<AnalysisRunStatus, 'finishedAt' | 'action'> {
  const action = actionOf(finding, times)
  return {
    ...(isFinal(finding, times) ? { finishedAt: time(nowMs) } : {}),
    ...(action === undefined ? {} : { action }),
  }
}

interface NextLookInput extends LookInput {
  readonly startMs: number
}

/**
 * The time of the next look: when the first window of any metric has ended and can be asked for, or when the time of
 * the analysis is over. While the run waits for pods, it is one interval later.
 */
function nextLook(
  run: AnalysisRun,
  results: readonly LookedMetric[],
  { poll, times, lagSeconds, startMs }: NextLookInput,
): number {
  const { intervalSeconds } = times
  if (startMs > poll.atMs) return poll.atMs + 1_000 * intervalSeconds
  const looks = results.map(({ of, metric }) => {
    const asked = poll.windows.find((window) => window.metric === of.name)
    return nextLookMs({
      startMs: expectedStart(metric, { startedMs: startMs }),
      askedMs: asked?.window.end,
      intervalSeconds,
      lagSeconds: lagSeconds(of.provider),
      nowMs: poll.atMs,
    })
  })
  const endMs = overMs(startMs, times, longestLag(run, lagSeconds))
  return Math.min(...looks, endMs > poll.atMs ? endMs : Number.POSITIVE_INFINITY)
}

/** How old the last windows of the slowest provider of a run must be, in seconds. */
export const longestLag = ({ spec }: AnalysisRun, lagSeconds: LookInput['lagSeconds']): number =>
  Math.max(0, ...spec.metrics.map(({ provider }) => lagSeconds(provider)))

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
