import type { Metric } from '../../api/analysis/metric.ts'
import { detectable } from '../engine/power.ts'
import type { RunMetric, RunPower } from '../kinds/run.ts'
import type { Question } from '../metrics/rule.ts'
import type { Times } from './subject.ts'

/** So many windows tell what the traffic is. From section 4.7. */
const LEAST_WINDOWS = 3
/** For which time an analysis without `maxSeconds` is told what it can show. */
const USUAL_SECONDS = 3_600
/** The spread of times of which nothing is known yet. From section 4.7. */
const USUAL_SPREAD = 1

/** What is known about a Latency metric that counts. */
export interface PowerOf {
  readonly metric: Pick<Metric, 'tolerancePercent'>
  /** with the window that was counted last */
  readonly counted: RunMetric
  /** of the times of the control; undefined: not known */
  readonly spread: number | undefined
  /** the start of the first window, in milliseconds since 1970 */
  readonly startedMs: number
  readonly times: Pick<Times, 'intervalSeconds' | 'maxSeconds'>
  readonly question: Pick<Question, 'alpha' | 'metrics'>
}

/** What the traffic so far can show; undefined before the third window, and where no slowdown would show. */
export function powerOf({ metric, counted, spread, startedMs, times, question }: PowerOf): RunPower | undefined {
  const { samples = NO_SAMPLES, windowEnd = '', trace = [] } = counted
  const seconds = (Date.parse(windowEnd) - startedMs) / 1_000
  const requests = samples.treatment + samples.control
  if (trace.length < LEAST_WINDOWS || requests === 0 || !(seconds > 0)) return undefined
  const { intervalSeconds, maxSeconds: withinSeconds = USUAL_SECONDS } = times
  const traffic = {
    requestsPerSecond: requests / seconds,
    share: samples.treatment / requests,
    intervalSeconds,
    spread: spread ?? USUAL_SPREAD,
  }
  const tolerance = (metric.tolerancePercent ?? 0) / 100
  const slowdown = detectable(traffic, { ...question, tolerance }, withinSeconds)
  return Number.isFinite(slowdown) ? { percent: Math.ceil(100 * slowdown), withinSeconds } : undefined
}

const NO_SAMPLES: NonNullable<RunMetric['samples']> = { treatment: 0, control: 0 }
