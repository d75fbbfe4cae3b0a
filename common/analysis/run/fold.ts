import type { Metric } from '../../api/analysis/metric.ts'
import { MAX_TRACE, type RunMetric, type RunPoint, type RunWindows } from '../kinds/run.ts'
import type { DecisionBounds, MetricResult } from '../metrics/metric-engine.ts'
import { engineOf } from '../metrics/registry.ts'
import { strataProblem } from '../metrics/strata.ts'
import { isSound } from '../metrics/validity.ts'
import { armsOfKind } from '../query/arm-members.ts'
import type { TimeWindow } from '../query/window-query.ts'
import type { Arm, WindowData } from '../window-data.ts'
import { firstCounting } from './arms.ts'
import { CRASH_LOOPS, healthLook, healthMemory, healthNumbers } from './health.ts'
import { memoryOf, withMemory } from './memory.ts'
import type { Poll, PolledWindow } from './poll.ts'
import { isThin, silentArms } from './requests.ts'
import { doesTrafficDiffer, TRAFFIC_DIFFERS } from './traffic.ts'
import { NO_SERIES } from './verdict.ts'
import { isLongest } from './windows.ts'

/** What decides how a window is counted. */
export interface FoldContext {
  readonly question: DecisionBounds
  readonly intervalSeconds: number
  readonly warmUpSeconds: number
  readonly poll: Pick<Poll, 'arms' | 'atMs'>
  /** the start of the first window, in milliseconds since 1970 */
  readonly startedMs: number
}

/** A metric after a window, and how that window was counted. */
export interface FoldedMetric {
  readonly metric: RunMetric
  readonly windows: Partial<RunWindows>
  /** the error of the provider */
  readonly failure?: string
  /** what the plugin said about its decision */
  readonly comment?: string
  /** of the times of the control; absent if no window with times was counted */
  readonly spread?: number
}

const time = (ms: number): string => new Date(ms).toISOString()

/** The metric with `reason`. It stays as it is if it has this reason already. */
const because = (metric: RunMetric, reason: string, sinceMs: number): RunMetric =>
  metric.reason === reason ? metric : { ...metric, reason, since: time(sinceMs) }

const SILENT: Readonly<Record<Arm, string>> = { treatment: 'NoTreatmentData', control: 'NoControlData' }

/** The reason for data that cannot be compared, because these arms have no requests. */
function silence(arms: readonly Arm[], hasSeries: boolean): string {
  if (arms.length === 1 && arms[0] !== undefined) return SILENT[arms[0]]
  return hasSeries ? 'NoTraffic' : NO_SERIES
}

/** The reasons of a window with series. An earlier version gave `NoTraffic` also where it found none. */
const WITH_SERIES: readonly string[] = ['NoTraffic', 'NoTreatmentData', 'NoControlData', 'TooFewSamples']

/** The metric with the memory that there were series of it in a window so far. Samples say so, too. */
function withSeries(metric: RunMetric, { kind }: Metric, { answer }: PolledWindow): RunMetric {
  const areFound = answer.is === 'data' || (answer.is === 'silent' && answer.arms.length < armsOfKind(kind).length)
  const isNew = metric.samples === undefined && !metric.hasSeries
  return isNew && (areFound || WITH_SERIES.includes(metric.reason)) ? { ...metric, hasSeries: true } : metric
}

/** The error of a window whose data the metric cannot use. */
const USELESS = 'data that the metric cannot use'

/**
 * `metric` after a polled window. A window that does not begin where the last one ended was counted before, or comes
 * from another process of the controller. It is ignored, so that each window counts once.
 */
export function foldWindow(metric: RunMetric, of: Metric, polled: PolledWindow, context: FoldContext): FoldedMetric {
  const { window, skipped, answer } = polled
  if (!isNext(metric, polled, context)) return { metric, windows: {} }
  const former = withSeries(metric, of, polled)
  const moved = skipped > 0 ? { ...former, windowEnd: time(window.start) } : former
  const windows = skipped > 0 ? { skipped } : {}
  const unusable = (failure: string, lacksStart = false): FoldedMetric => {
    const metric = because(moved, 'ProviderFailed', context.poll.atMs)
    return {
      metric: lacksStart ? { ...metric, windowEnd: time(window.end) } : metric, // a longer one would also lack its start
      windows: { ...windows, unusable: 1 },
      failure,
    }
  }
  if (answer.is === 'failed') return unusable(answer.message, answer.lacksStart)
  if (answer.is === 'data' && !isSound(answer.data)) return unusable(USELESS)
  const arms = answer.is === 'silent' ? answer.arms : silentArms(answer.data)
  if (arms.length > 0 || answer.is === 'silent') return silent({ moved, windows, arms, polled, context })
  const isWaiting = isThin(answer.data) && !isLongest(window, context.intervalSeconds)
  if (isWaiting) return { metric: because(moved, 'TooFewSamples', window.start), windows }
  const problem = strataProblem(of, memoryOf(metric, of), answer.data)
  if (problem !== undefined) return unusable(problem)
  const counted = count(moved, { of, data: answer.data, endMs: window.end, context })
  return counted ? { ...counted, windows: { ...windows, counted: 1 } } : unusable(USELESS)
}

/** Whether a window is the next one of a metric: it begins where the last one ended, and has ended. */
function isNext(metric: RunMetric, { window, skipped }: PolledWindow, context: FoldContext): boolean {
  const expectedMs = expectedStart(metric, context)
  const hasStart = skipped >= 0 && window.start === expectedMs + skipped * 1_000 * context.intervalSeconds
  return hasStart && window.end > window.start && window.end <= context.poll.atMs
}

/** Where the next window of a metric begins. */
export const expectedStart = (
  { windowEnd }: Pick<RunMetric, 'windowEnd'>,
  { startedMs }: Pick<FoldContext, 'startedMs'>,
): number => (windowEnd === undefined ? startedMs : Date.parse(windowEnd))

interface Silent {
  readonly moved: RunMetric
  readonly windows: Partial<RunWindows>
  readonly arms: readonly Arm[]
  readonly polled: PolledWindow
  readonly context: FoldContext
}

/** A window in which an arm has no requests. It is polled again, longer, while it may still grow. */
function silent({ moved, windows, arms, polled: { window }, context }: Silent): FoldedMetric {
  const withoutPodsMs = endWithoutPods(window, context)
  if (withoutPodsMs !== undefined)
    return {
      metric: { ...because(moved, 'NoPods', window.start), windowEnd: time(withoutPodsMs) },
      windows: { ...windows, empty: 1 },
    }
  const hasSeries = moved.samples !== undefined || moved.hasSeries === true
  const metric = because(moved, silence(arms, hasSeries), window.start)
  if (!isLongest(window, context.intervalSeconds)) return { metric, windows }
  return { metric: { ...metric, windowEnd: time(window.end) }, windows: { ...windows, empty: 1 } }
}

/**
 * The end of the intervals that begin before both arms have a pod that counts; undefined if both have one at the start.
 * These intervals are not polled again: in a longer window that begins with them no pod would count either.
 */
function endWithoutPods({ start, end }: TimeWindow, { poll, warmUpSeconds, intervalSeconds }: FoldContext) {
  const countsMs = firstCounting(poll.arms, warmUpSeconds)
  if (countsMs <= start) return undefined
  const intervalMs = 1_000 * intervalSeconds
  return Math.min(end, start + Math.ceil((countsMs - start) / intervalMs) * intervalMs)
}

interface Counted {
  readonly of: Metric
  readonly data: WindowData
  readonly endMs: number
  readonly context: FoldContext
}

function count(
  metric: RunMetric,
  { of, data, endMs, context: { question } }: Counted,
): Pick<FoldedMetric, 'metric' | 'comment' | 'spread'> | undefined {
  const engine = engineOf(of)
  const numbers = engine.fold(memoryOf(metric, of), data, of)
  if (!numbers) return undefined
  const judgement = engine.judge(numbers, of, question)
  const { spread } = judgement
  return {
    metric: judgedMetric(metric, { of, judgement, numbers, endMs }),
    ...(data.is === 'decision' && data.message !== '' ? { comment: data.message } : {}),
    ...(spread === undefined ? {} : { spread }),
  }
}

/**
 * A Health metric after a look at the pods. No provider is asked for it, so its window is the time since the last look,
 * and it shares the looks of other metrics.
 */
export function foldHealth(metric: RunMetric, of: Metric, { poll, question, ...context }: FoldContext): FoldedMetric {
  const window = { start: expectedStart(metric, context), end: poll.atMs }
  if (window.end <= window.start) return { metric, windows: {} }
  const memory = healthMemory(memoryOf(metric, of))
  const { data, isCrashLooping, ...known } = healthLook(poll.arms, window, memory)
  const engine = engineOf(of)
  const folded = engine.fold(memory.engine, data, of)
  if (!folded)
    return { metric: because(metric, 'ProviderFailed', poll.atMs), windows: { unusable: 1 }, failure: USELESS }
  const judgement = engine.judge(folded, of, question)
  const numbers = healthNumbers({ ...known, engine: folded })
  const looping = isCrashLooping ? ({ ...judgement, verdict: 'Fail', doPodsDiffer: false } as const) : judgement
  const reason = isCrashLooping ? { reason: CRASH_LOOPS } : {}
  return {
    metric: judgedMetric(metric, { of, judgement: looping, numbers, endMs: window.end, ...reason }),
    windows: { counted: 1 },
  }
}

interface Judged {
  readonly of: Metric
  readonly judgement: MetricResult
  readonly numbers: readonly number[]
  readonly endMs: number
  /** of a verdict that the kind does not find itself */
  readonly reason?: string
}

const REASON_OF = { Pass: 'Passed', Fail: 'HarmFound', Wait: 'Measuring' } as const

/** The metric with its new result. Only the trace stays of the former result. */
function judgedMetric(former: RunMetric, { of, judgement, numbers, endMs, reason: given }: Judged): RunMetric {
  const { doPodsDiffer, samples, harm, safe, effect, pods } = judgement
  const isHeldBack = doesTrafficDiffer(judgement, of)
  const verdict = isHeldBack ? 'Wait' : judgement.verdict
  const reason = given ?? (isHeldBack ? TRAFFIC_DIFFERS : doPodsDiffer ? 'PodsDiffer' : REASON_OF[verdict])
  const at = time(endMs)
  const { of: _of, ...effects } = effect ?? { of: '' }
  const point = { at, ...effects, harm: harm?.logE ?? 0, safe: leastOf(safe) }
  const { name, since, trace = [] } = because(former, reason, endMs)
  return {
    ...{ name, verdict, reason, since, windowEnd: at },
    // seconds of pods may have fractions
    samples: { treatment: Math.round(samples.treatment), control: Math.round(samples.control) },
    ...(harm ? { harm } : {}),
    ...(safe.length > 0 ? { safe } : {}),
    ...(effect ? { effect } : {}),
    ...(pods ? { pods: { groups: pods.groups, outer: pods.outer } } : {}),
    ...withMemory(former, of, numbers),
    trace: harm ? withTracePoint(trace, point) : trace,
  }
}

const leastOf = (safe: MetricResult['safe']): number =>
  safe.length === 0 ? 0 : Math.min(...safe.map(({ logE }) => logE))

/**
 * A trace with one more point. When it is full, every second point is dropped, but never the first one. So it always
 * covers the whole time.
 */
export function withTracePoint(trace: readonly RunPoint[], point: RunPoint): readonly RunPoint[] {
  const kept = trace.length < MAX_TRACE ? trace : trace.filter((_, index) => index % 2 === 0)
  return [...kept, point]
}
