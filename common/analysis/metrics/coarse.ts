import type { MetricRule } from '../../api/analysis/metric.ts'
import { isEqual } from '../../json/json.ts'
import {
  type CoarseState,
  coarseEvidence,
  type Exceeding,
  exponents,
  noCoarseState,
  withCoarseWindow,
} from '../engine/coarse-latency.ts'
import { added, zeros } from '../engine/mixture.ts'
import { spreadOf } from '../engine/power.ts'
import { type BetDirection, oddsSteps } from '../engine/steps.ts'
import type { Arm, CoarseCounts, WindowData } from '../window-data.ts'
import { marginsOf, percentMore, withEffectBets } from './effect.ts'
import { checked, judged, medianEffect } from './judgement.ts'
import type { DecisionBounds, MetricResult } from './metric-engine.ts'
import { busyIn, knownPerPod, NO_REQUESTS, type PerPod, withPerPod } from './per-pod.ts'
import { type ArmPlaces, loadedArms, NO_PLACES, outside, placedArms, savedArms, withoutEach } from './places.ts'
import { joinLists, listsOfSums, splitLists, sumsIn } from './state-lists.ts'

/** The most boundaries that a state stores. If there are more, every second or third, and so on, is used. */
const MOST_BOUNDARIES = 16

export type CoarseData = WindowData & { readonly is: 'coarse' }

interface State {
  readonly boundaries: readonly number[]
  readonly latency: CoarseState
  readonly rungs: readonly number[]
  readonly perPod: PerPod
  readonly places: ArmPlaces
}

const save = ({ boundaries, latency, rungs, perPod, places }: State): readonly number[] =>
  joinLists(boundaries, ...listsOfLatency(latency), rungs, [perPod.treatment, perPod.control], ...savedArms(places))

/** As `LATENCY_LISTS` lists of numbers. */
export const listsOfLatency = ({ pooled, control, calibration, harm, body, tail }: CoarseState) => [
  [pooled.total, ...pooled.exceeding],
  [control.total, ...control.exceeding],
  calibration ? [calibration.body, calibration.tail, ...calibration.live] : [],
  ...listsOfSums([harm, body, tail]),
]
export const LATENCY_LISTS = 9

/** What `listsOfLatency` has made these lists of. */
export function latencyIn(lists: readonly (readonly number[])[]): CoarseState {
  const [pooled = [], control = [], calibrated = [], ...others] = lists
  const [harm = [], harmWithout = [], body = [], bodyWithout = [], tail = [], tailWithout = []] = others
  const exceedingOf = ([total = 0, ...exceeding]: readonly number[]): Exceeding => ({ total, exceeding })
  const [bodyAt, tailAt, ...live] = calibrated
  const calibration = bodyAt === undefined || tailAt === undefined ? undefined : { body: bodyAt, tail: tailAt, live }
  return {
    pooled: exceedingOf(pooled),
    control: exceedingOf(control),
    ...(calibration ? { calibration } : {}),
    harm: sumsIn(harm, harmWithout),
    body: sumsIn(body, bodyWithout),
    tail: sumsIn(tail, tailWithout),
  }
}

const noState = (width: number): State => ({
  ...{ boundaries: [], latency: noCoarseState(width), rungs: [], perPod: NO_REQUESTS },
  places: NO_PLACES,
})

function load(numbers: readonly number[], width: number): State {
  if (numbers.length === 0) return noState(width)
  const [boundaries = [], ...lists] = splitLists(numbers)
  const [rungs = [], [own = 0, source = 0] = [], ownPlaces = [], sourcePlaces = []] = lists.slice(LATENCY_LISTS)
  return {
    ...{ boundaries, latency: latencyIn(lists), rungs, perPod: { treatment: own, control: source } },
    places: loadedArms(ownPlaces, sourcePlaces),
  }
}

/** `data` with at most as many boundaries as a state has room for. */
export function thinned({ boundaries, treatment, control }: CoarseData) {
  const every = Math.ceil(boundaries.length / MOST_BOUNDARIES)
  const kept = <T>(list: readonly T[]) => list.filter((_, index) => index % every === every - 1)
  const arm = (counts: readonly CoarseCounts[]) => counts.map((each) => ({ ...each, exceeding: kept(each.exceeding) }))
  return { boundaries: kept(boundaries), treatment: arm(treatment), control: arm(control) }
}

const sumOf = (counts: readonly CoarseCounts[], width: number): Exceeding => ({
  exceeding: counts.map(({ exceeding }) => exceeding).reduce(added, zeros(width)),
  total: counts.reduce((sum, { total }) => sum + total, 0),
})

/** How many requests a pod had. */
export const requestsOf = ({ total }: Pick<CoarseCounts, 'total'>): number => total

/** What both arms have exceeded, also without each place. */
export function exceedingIn(data: Readonly<Record<Arm, readonly CoarseCounts[]>>, places: ArmPlaces, width: number) {
  const without = (arm: Arm) =>
    withoutEach(places[arm], (place) => sumOf(outside(places[arm], place, data[arm]), width))
  return {
    ...{ treatment: sumOf(data.treatment, width), control: sumOf(data.control, width) },
    without: { treatment: without('treatment'), control: without('control') },
  }
}

/** The bets of a window on the effect at the boundary of the body. `former`: the control of all windows before. */
export function effectSteps(
  { treatment, control }: Readonly<Record<Arm, Exceeding>>,
  former: Exceeding,
  boundaries: readonly number[],
  body: number,
) {
  const slopes = exponents(former, boundaries, body)
  const counts = {
    events: treatment.exceeding[body] ?? 0,
    exposure: treatment.total,
    controlEvents: control.exceeding[body] ?? 0,
    controlExposure: control.total,
  }
  return (margin: number, side: BetDirection) =>
    oddsSteps(counts, (1 + margin) ** (margin < 0 === (side === 1) ? slopes.least : slopes.most), side)
}

/** Latency of coarse buckets with one more window; undefined if its boundaries differ from the former ones. */
export function foldCoarse(
  numbers: readonly number[],
  data: CoarseData,
  rule: MetricRule,
): readonly number[] | undefined {
  const kept = thinned(data)
  const { boundaries } = kept
  const width = boundaries.length
  const former = load(numbers, width)
  if (numbers.length > 0 && !isEqual(former.boundaries, boundaries)) return undefined
  const places = placedArms(former.places, busyIn(data, requestsOf))
  const window = { boundaries, ...exceedingIn(kept, places, width) }
  const latency = withCoarseWindow(former.latency, window, marginsOf(rule))
  const next = { boundaries, latency, places, perPod: withPerPod(former.perPod, data, requestsOf) }
  const { calibration } = latency
  if (!calibration) return save({ ...next, rungs: former.rungs })
  const steps = effectSteps(window, former.latency.control, boundaries, calibration.body)
  return save({ ...next, rungs: withEffectBets(former.rungs, steps) })
}

/** The result of all windows of coarse buckets. */
export function judgeCoarse(numbers: readonly number[], question: DecisionBounds): MetricResult {
  const { boundaries, latency, rungs, perPod, places } = load(numbers, 0)
  const { control } = latency
  const { harm, body, tail, parts } = coarseEvidence(latency)
  const treatment = treatmentOf(latency)
  const samples = { treatment: treatment.total, control: control.total }
  return judged(
    {
      harm: checked(harm, places.treatment),
      safe: { body: checked(body, places.control), tail: checked(tail, places.control) },
      parts,
      samples,
      perPod: knownPerPod(perPod),
      effect: medianEffect(slowdownIn(latency, boundaries), rungs, question),
      spread: spreadIn(control, boundaries),
    },
    question,
  )
}

/** What the treatment has exceeded in all windows. */
export const treatmentOf = ({ pooled, control }: CoarseState): Exceeding => ({
  exceeding: pooled.exceeding.map((count, index) => count - (control.exceeding[index] ?? 0)),
  total: pooled.total - control.total,
})

/** By how many percent the median of the treatment is larger; undefined where a median is not known. */
export function slowdownIn(latency: CoarseState, boundaries: readonly number[]): number | undefined {
  const [own, others] = [timeAt(treatmentOf(latency), 0.5, boundaries), timeAt(latency.control, 0.5, boundaries)]
  return own === undefined || others === undefined ? undefined : percentMore(own, others)
}

/** As `spreadOf`, of requests in buckets. */
export const spreadIn = (requests: Exceeding, boundaries: readonly number[]): number | undefined =>
  spreadOf(timeAt(requests, 0.5, boundaries), timeAt(requests, 0.9, boundaries))

/** The quantile `part` of the times, interpolated between two boundaries; undefined if it is outside of all of them. */
function timeAt({ exceeding, total }: Exceeding, part: number, boundaries: readonly number[]): number | undefined {
  const above = total - part * total
  const upper = exceeding.findIndex((count) => count <= above)
  const [low, high] = [boundaries[upper - 1], boundaries[upper]]
  const [more, fewer] = [exceeding[upper - 1], exceeding[upper]]
  if (low === undefined || high === undefined || more === undefined || fewer === undefined) return undefined
  return low * (high / low) ** ((more - above) / (more - fewer))
}
