import type { MetricRule } from '../../api/analysis/metric.ts'
import {
  type Bins,
  betsOnRanks,
  bucketsIn,
  type Distribution,
  ofBuckets,
  ofSamples,
  placeAt,
  ratioOfBins,
  totalOf,
  widerBucket,
  ZERO_BUCKET,
} from '../engine/distribution.ts'
import {
  inWiderBuckets,
  type LatencyState,
  type LatencyWindow,
  latencyEvidence,
  NO_LATENCY_STATE,
  withLatencyWindow,
} from '../engine/latency.ts'
import { spreadOf } from '../engine/power.ts'
import type { Arm, FineCounts, OfPod, Samples, WindowData } from '../window-data.ts'
import { marginsOf, percentMore, withEffectBets } from './effect.ts'
import { checked, judged, medianEffect } from './judgement.ts'
import type { DecisionBounds, MetricResult } from './metric-engine.ts'
import { busyIn, knownPerPod, NO_REQUESTS, type PerPod, withPerPod } from './per-pod.ts'
import { type ArmPlaces, loadedArms, NO_PLACES, outside, placedArms, savedArms, withoutEach } from './places.ts'
import { joinLists, listsOfSums, splitLists, sumsIn } from './state-lists.ts'

/** The most bins of each arm that a state stores. The fastest requests share the lowest one. */
const KEPT_BINS = 120

type FineData = WindowData & { readonly is: 'samples' | 'fine' }

interface State {
  readonly latency: LatencyState
  /** by which the buckets grow; 0 for samples */
  readonly ratio: number
  readonly rungs: readonly number[]
  readonly perPod: PerPod
  readonly places: ArmPlaces
}

function save({ latency, ratio, rungs, perPod, places }: State): readonly number[] {
  const { treatment, control, bounds = [], ranks, odds, body, tail } = latency
  return joinLists(
    [ratio],
    savedBins(treatment),
    savedBins(control),
    bounds,
    ...listsOfSums([ranks, odds, body, tail]),
    rungs,
    [perPod.treatment, perPod.control],
    ...savedArms(places),
  )
}

const NO_STATE: State = {
  ...{ latency: NO_LATENCY_STATE, ratio: 0, rungs: [], perPod: NO_REQUESTS },
  places: NO_PLACES,
}

function load(numbers: readonly number[]): State {
  if (numbers.length === 0) return NO_STATE
  const lists = splitLists(numbers)
  const [[ratio = 0] = [], treatment = [], control = [], bounds = [], ...others] = lists
  const [ranks = [], ranksWithout = [], odds = [], oddsWithout = [], ...more] = others
  const [body = [], bodyWithout = [], tail = [], tailWithout = [], ...last] = more
  const [rungs = [], [own = 0, source = 0] = [], ownPlaces = [], sourcePlaces = []] = last
  const latency = {
    treatment: loadedBins(treatment),
    control: loadedBins(control),
    ...(bounds.length > 0 ? { bounds } : {}),
    ranks: sumsIn(ranks, ranksWithout),
    odds: sumsIn(odds, oddsWithout),
    body: sumsIn(body, bodyWithout),
    tail: sumsIn(tail, tailWithout),
  }
  return {
    ...{ latency, ratio, rungs, perPod: { treatment: own, control: source } },
    places: loadedArms(ownPlaces, sourcePlaces),
  }
}

/** A list of the number of the lowest bin, its count, and the count of each higher bin. */
function savedBins(bins: Bins): readonly number[] {
  if (bins.size === 0) return []
  const [least, most] = [Math.min(...bins.keys()), Math.max(...bins.keys())]
  const from = Math.max(least, most - KEPT_BINS + 1)
  const counts = Array.from({ length: most - from + 1 }, (_, index) => bins.get(from + index) ?? 0)
  const joined = totalOf([...bins].filter(([bin]) => bin < from))
  return [from, joined + (counts[0] ?? 0), ...counts.slice(1)]
}

const loadedBins = ([from = 0, ...counts]: readonly number[]): Bins =>
  new Map(counts.flatMap((count, index) => (count > 0 ? [[from + index, count] as const] : [])))

/** What a pod counted. */
type Counts = Samples | FineCounts

/** How many requests a pod had. */
const requestsOf = (counts: Counts): number =>
  'values' in counts ? counts.values.length : counts.buckets.reduce((sum, [, count]) => sum + count, counts.zero)

/** The requests of all pods of an arm together. */
function allBins(counts: readonly FineCounts[]): Bins {
  const all = new Map<number, number>()
  for (const { buckets } of counts) for (const [bin, count] of buckets) all.set(bin, (all.get(bin) ?? 0) + count)
  const zero = counts.reduce((sum, each) => sum + each.zero, 0)
  return zero > 0 ? all.set(ZERO_BUCKET, zero) : all
}

const allValues = (samples: readonly Samples[]): readonly number[] => samples.flatMap(({ values }) => values)

/** The requests of both arms, but for those of the pods in one place of one arm. */
function distributionOf(data: FineData, places: State['places'], arm?: Arm, left?: number): Distribution {
  function kept<T extends OfPod>(of: Arm, counts: readonly T[]): readonly T[] {
    return of === arm ? outside(places[of], left, counts) : counts
  }
  return data.is === 'samples'
    ? ofSamples(allValues(kept('treatment', data.treatment)), allValues(kept('control', data.control)))
    : ofBuckets(allBins(kept('treatment', data.treatment)), allBins(kept('control', data.control)), data.ratio)
}

/** The requests of both arms, also without each place. */
function windowOf(data: FineData, places: State['places']): LatencyWindow {
  const without = (arm: Arm) => withoutEach(places[arm], (place) => distributionOf(data, places, arm, place))
  return { ...distributionOf(data, places), without: { treatment: without('treatment'), control: without('control') } }
}

/** A state and the window that is added to it. Both have the same buckets. */
interface Addition {
  readonly former: State
  readonly data: FineData
}

/**
 * A state and a window in the wider buckets of the two: a native histogram may change the width of its buckets.
 * Undefined if the buckets of one are not made up of those of the other.
 */
function inSameBuckets(former: State, data: FineData): Addition | undefined {
  const ratio = data.is === 'fine' ? data.ratio : 0
  if (ratio === former.ratio) return { former, data }
  if (data.is !== 'fine' || former.ratio === 0) return undefined
  const [joinedNow, joinedBefore] = [bucketsIn(former.ratio, ratio), bucketsIn(ratio, former.ratio)]
  if (joinedNow !== undefined) return { former, data: inWiderWindow(data, former.ratio, joinedNow) }
  return joinedBefore === undefined ? undefined : { former: inWiderState(former, ratio, joinedBefore), data }
}

function inWiderWindow(data: FineData & { readonly is: 'fine' }, ratio: number, by: number): FineData {
  const arm = (counts: readonly FineCounts[]) =>
    counts.map((each) => ({ ...each, buckets: each.buckets.map(([k, count]) => [widerBucket(k, by), count] as const) }))
  return { is: 'fine', ratio, treatment: arm(data.treatment), control: arm(data.control) }
}

const inWiderState = ({ latency, ...state }: State, ratio: number, by: number): State => ({
  ...state,
  ratio,
  latency: inWiderBuckets(latency, state.ratio, by),
})

/**
 * Latency of samples or fine buckets, with one more window; undefined if it cannot be added to those before. Once
 * buckets have become wider, they stay so.
 */
export function foldContinuous(
  numbers: readonly number[],
  given: FineData,
  rule: MetricRule,
): readonly number[] | undefined {
  const begun = numbers.length > 0 ? load(numbers) : { ...load([]), ratio: given.is === 'fine' ? given.ratio : 0 }
  const same = inSameBuckets(begun, given)
  if (!same) return undefined
  const { former, data } = same
  const places = placedArms(former.places, busyIn<Counts>(data, requestsOf))
  const window = windowOf(data, places)
  const latency = withLatencyWindow(former.latency, window, marginsOf(rule))
  const rungs = withEffectBets(former.rungs, betsOnRanks(window))
  return save({
    latency,
    ratio: former.ratio,
    rungs,
    perPod: withPerPod<Counts>(former.perPod, data, requestsOf),
    places,
  })
}

/** The result of all windows of samples or fine buckets. */
export function judgeContinuous(numbers: readonly number[], question: DecisionBounds): MetricResult {
  const { latency, ratio, rungs, perPod, places } = load(numbers)
  const { harm, body, tail, parts } = latencyEvidence(latency)
  const samples = { treatment: totalOf(latency.treatment), control: totalOf(latency.control) }
  return judged(
    {
      harm: checked(harm, places.treatment),
      safe: { body: checked(body, places.control), tail: checked(tail, places.control) },
      parts,
      samples,
      perPod: knownPerPod(perPod),
      effect: medianEffect(estimateOf(latency, ratio), rungs, question),
      spread: spreadOf(timeAt(latency.control, 0.5, ratio), timeAt(latency.control, 0.9, ratio)),
    },
    question,
  )
}

/** The quantile of the times in `bins`. */
function timeAt(bins: Bins, quantile: number, ratio: number): number | undefined {
  const place = placeAt(bins, quantile)
  return place === undefined ? undefined : ratioOfBins(ratio) ** place
}

function estimateOf({ treatment, control }: LatencyState, ratio: number): number | undefined {
  const [own, others] = [placeAt(treatment, 0.5), placeAt(control, 0.5)]
  if (own === undefined || others === undefined) return undefined
  return percentMore(ratioOfBins(ratio) ** (own - others), 1)
}
