import type { Metric } from '../../api/analysis/metric.ts'
import { detectable } from '../engine/power.ts'
import type { RunMetric, RunPower } from '../kinds/run.ts'
import type { RunTraffic } from '../kinds/run-traffic.ts'
import type { DecisionBounds } from '../metrics/metric-engine.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'
import type { Times } from './subject.ts'

/** So many windows tell what the traffic is. */
const LEAST_WINDOWS = 3
/** For which time an analysis without `maxSeconds` is told what it can show. */
const USUAL_SECONDS = 3_600
/** The spread of times of which nothing is known yet. */
const USUAL_SPREAD = 1

/** The requests of the two arms that are compared. */
export interface ArmsTraffic extends RunTraffic {
  /** the part of the treatment */
  readonly share: number
}

/** What is known about a Latency metric that counts. */
export interface CountedLatency {
  /** with the window that was counted last */
  readonly counted: RunMetric
  /** of the times of the control; undefined: not known */
  readonly spread: number | undefined
  /** the start of the first window, in milliseconds since 1970 */
  readonly startedMs: number
}

/** Whether there were enough windows to say what a run can show. */
export const isTooEarly = ({ trace = [] }: RunMetric): boolean => trace.length < LEAST_WINDOWS

/** The requests of both arms so far; undefined without requests. */
export function armsTraffic({ counted, spread, startedMs }: CountedLatency): ArmsTraffic | undefined {
  const { samples = NO_SAMPLES, windowEnd = '' } = counted
  const seconds = (Date.parse(windowEnd) - startedMs) / 1_000
  const requests = samples.treatment + samples.control
  if (requests === 0 || !(seconds > 0)) return undefined
  const share = samples.treatment / requests
  return { requestsPerSecond: requests / seconds, share, ...(spread === undefined ? {} : { spread }) }
}

/** What a slowdown is shown by. */
export interface PowerInput {
  readonly metric: Pick<Metric, 'tolerancePercent'>
  readonly traffic: ArmsTraffic
  readonly times: Pick<Times, 'intervalSeconds' | 'maxSeconds'>
  readonly question: Pick<DecisionBounds, 'alpha' | 'metrics'>
}

/** For how many seconds the power of an analysis is told. */
export const powerSeconds = ({ maxSeconds = USUAL_SECONDS }: Pick<Times, 'maxSeconds'>): number => maxSeconds

/** What this traffic can show; undefined where no slowdown would show. */
export function powerOf({ metric, traffic, times, question }: PowerInput): RunPower | undefined {
  const withinSeconds = powerSeconds(times)
  const { intervalSeconds } = times
  const tolerance = (metric.tolerancePercent ?? 0) / 100
  const known = { intervalSeconds, spread: USUAL_SPREAD, ...traffic }
  const slowdown = detectable(known, { ...question, tolerance }, withinSeconds)
  return Number.isFinite(slowdown) ? { percent: Math.ceil(100 * slowdown), withinSeconds } : undefined
}

/**
 * The requests of the source and of what experiments have beside it, to three digits. Beside a twin only fork and twin
 * are counted, and each pod of the source gets as many as each of theirs.
 */
export function sharedTraffic({ requestsPerSecond, spread }: RunTraffic, arms: ArmPodViews): RunTraffic {
  const { treatment, control, source = [] } = arms
  const ready = (pods: readonly ArmPodView[]) => pods.filter(({ readySinceMs }) => readySinceMs !== undefined).length
  const compared = Math.max(1, ready(treatment) + ready(control))
  return {
    requestsPerSecond: rounded((requestsPerSecond * (compared + ready(source))) / compared),
    ...(spread === undefined ? {} : { spread: rounded(spread) }),
  }
}

/** How many pods an experiment will have, and its source. */
interface PlannedPods {
  readonly treatment: number
  readonly control: number
  /** whether a twin as large as the fork is the control, beside the source */
  readonly isTwin: boolean
}

/** The opposite of `sharedTraffic`: what the two arms get of all requests, and how many pods share these. */
export function plannedTraffic(traffic: RunTraffic, { treatment, control, isTwin }: PlannedPods) {
  const all = treatment + control + (isTwin ? treatment : 0)
  const compared = isTwin ? 2 * treatment : all
  const requestsPerSecond = (traffic.requestsPerSecond * compared) / all
  return { pods: all, compared: { ...traffic, requestsPerSecond, share: treatment / compared } }
}

const rounded = (value: number): number => Number(value.toPrecision(3))

const NO_SAMPLES: NonNullable<RunMetric['samples']> = { treatment: 0, control: 0 }
