import type { Metric } from '../../api/analysis/metric.ts'
import { detectable } from '../engine/power.ts'
import type { RunMetric, RunPower } from '../kinds/run.ts'
import type { RunTraffic } from '../kinds/run-traffic.ts'
import type { DecisionBounds } from '../metrics/metric-engine.ts'
import { MOST_PLACES } from '../metrics/places.ts'
import { MOST_PLACES_IN_STRATA } from '../metrics/strata.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'
import type { Times } from './subject.ts'

/** The least counted windows before the power of a run is reported. */
const LEAST_WINDOWS = 3
/** The time for which the power of an analysis without `maxSeconds` is computed. */
const USUAL_SECONDS = 3_600
/** The spread that is assumed while none is known. */
const USUAL_SPREAD = 1

/** The requests of the two arms that are compared. */
interface ArmsTraffic extends RunTraffic {
  /** the part of the treatment */
  readonly share: number
}

/** The data of a Latency metric that counts. */
export interface CountedLatency {
  /** with the window that was counted last */
  readonly counted: RunMetric
  /** of the times of the control; undefined: not known */
  readonly spread: number | undefined
  /** the start of the first window, in milliseconds since 1970 */
  readonly startedMs: number
}

/** Whether there were too few windows to say what a run can show. */
export const isTooEarly = ({ trace = [] }: RunMetric): boolean => trace.length < LEAST_WINDOWS

/** The requests of both arms so far; undefined without requests. */
export function armsTraffic({ counted, spread, startedMs }: CountedLatency): ArmsTraffic | undefined {
  const { samples = NO_SAMPLES, windowEnd = '', memory } = counted
  const sinceMs = memory?.since === undefined ? startedMs : Date.parse(memory.since)
  const seconds = (Date.parse(windowEnd) - sinceMs) / 1_000
  const requests = samples.treatment + samples.control
  if (requests === 0 || !(seconds > 0)) return undefined
  const share = samples.treatment / requests
  return { requestsPerSecond: requests / seconds, share, ...(spread === undefined ? {} : { spread }) }
}

/** What decides which slowdown a run can detect. */
export interface PowerInput {
  readonly metric: Pick<Metric, 'tolerancePercent' | 'prometheus'>
  readonly traffic: ArmsTraffic
  /** of the fork */
  readonly pods: number
  readonly times: Pick<Times, 'intervalSeconds' | 'maxSeconds'>
  readonly question: Pick<DecisionBounds, 'alpha' | 'metrics'>
}

/** The time in seconds for which the power of an analysis is computed. */
export const powerSeconds = ({ maxSeconds = USUAL_SECONDS }: Pick<Times, 'maxSeconds'>): number => maxSeconds

/** The traffic without one pod of the fork, which may not decide. The only one does. */
function withoutOnePod({ requestsPerSecond, share, ...traffic }: ArmsTraffic, pods: number, most: number): ArmsTraffic {
  const left = pods > 1 ? 1 - 1 / Math.min(pods, most) : 1
  const all = 1 - share + share * left
  return { ...traffic, requestsPerSecond: requestsPerSecond * all, share: (share * left) / all }
}

/** The smallest slowdown that this traffic can show; undefined if it can show none. */
export function powerOf({ metric, traffic, pods, times, question }: PowerInput): RunPower | undefined {
  const withinSeconds = powerSeconds(times)
  const { intervalSeconds } = times
  const mostPlaces = metric.prometheus?.stratifyBy === undefined ? MOST_PLACES : MOST_PLACES_IN_STRATA
  const tolerance = (metric.tolerancePercent ?? 0) / 100
  const known = { intervalSeconds, spread: USUAL_SPREAD, ...withoutOnePod(traffic, pods, mostPlaces) }
  const slowdown = detectable(known, { ...question, tolerance }, withinSeconds)
  return Number.isFinite(slowdown) ? { percent: Math.ceil(100 * slowdown), withinSeconds } : undefined
}

/**
 * The requests of source, fork and twin together, to three digits. If there is a twin, only fork and twin are counted.
 * Then each pod of the source is assumed to get as many requests as each of their pods.
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

/** How many pods an experiment and its source will have. */
interface PlannedPods {
  readonly treatment: number
  readonly control: number
  /** whether a twin as large as the fork is the control, beside the source */
  readonly isTwin: boolean
}

/** The inverse of `sharedTraffic`: the requests of the two arms, and how many pods share all requests. */
export function plannedTraffic(traffic: RunTraffic, { treatment, control, isTwin }: PlannedPods) {
  const all = treatment + control + (isTwin ? treatment : 0)
  const compared = isTwin ? 2 * treatment : all
  const requestsPerSecond = (traffic.requestsPerSecond * compared) / all
  return { pods: all, compared: { ...traffic, requestsPerSecond, share: treatment / compared } }
}

const rounded = (value: number): number => Number(value.toPrecision(3))

const NO_SAMPLES: NonNullable<RunMetric['samples']> = { treatment: 0, control: 0 }
