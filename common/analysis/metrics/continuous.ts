import type { MetricRule } from '../../api/analysis/metric.ts'
import {
  type Bins,
  betsOnRanks,
  binAt,
  bucketsIn,
  type Distribution,
  merged,
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
  latencyEvidence,
  NO_LATENCY_STATE,
  withLatencyWindow,
} from '../engine/latency.ts'
import { spreadOf } from '../engine/power.ts'
import { FACTORS } from '../engine/steps.ts'
import type { FineCounts, Samples, WindowData } from '../window-data.ts'
import { effectBounds, percentMore, withEffectBets } from './effect.ts'
import { judged, needsOfHarm, needsOfSafety } from './judgement.ts'
import type { DecisionBounds, MetricResult } from './metric-engine.ts'
import { type ArmsOfPods, comparedPods, withPods } from './pod-bins.ts'
import { chunksOf, joinLists, splitLists } from './state-lists.ts'

/** The quantiles of the first window that divide the requests of pods. The bets have bounds of their own. */
const POD_QUANTILES: readonly number[] = [0.5, 0.75, 0.9, 0.95, 0.99]
const POD_BINS = POD_QUANTILES.length + 1
/** The most bins of each arm that a state stores. The fastest requests share the lowest one. */
const KEPT_BINS = 120

type FineData = WindowData & { readonly is: 'samples' | 'fine' }

interface State {
  readonly latency: LatencyState
  /** by which the buckets grow; 0 for samples */
  readonly ratio: number
  readonly rungs: readonly number[]
  readonly podBounds: readonly number[]
  readonly pods: readonly number[]
}

function save({ latency, ratio, rungs, podBounds, pods }: State): readonly number[] {
  const { treatment, control, bounds = [], ranks, odds, body, tail } = latency
  return joinLists(
    [ratio],
    savedBins(treatment),
    savedBins(control),
    bounds,
    ranks,
    odds.flat(),
    body,
    tail,
    rungs,
    podBounds,
    pods,
  )
}

function load(numbers: readonly number[]): State {
  if (numbers.length === 0) return { latency: NO_LATENCY_STATE, ratio: 0, rungs: [], podBounds: [], pods: [] }
  const [
    [ratio = 0] = [],
    treatment = [],
    control = [],
    bounds = [],
    ranks = [],
    odds = [],
    body = [],
    tail = [],
    rungs = [],
    podBounds = [],
    pods = [],
  ] = splitLists(numbers)
  const latency = {
    treatment: loadedBins(treatment),
    control: loadedBins(control),
    ...(bounds.length > 0 ? { bounds } : {}),
    ranks,
    odds: chunksOf(odds, FACTORS.length),
    body,
    tail,
  }
  return { latency, ratio, rungs, podBounds, pods }
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

/** The requests of all pods of an arm together. */
function allBins(counts: readonly FineCounts[]): Bins {
  const all = new Map<number, number>()
  for (const { buckets } of counts) for (const [bin, count] of buckets) all.set(bin, (all.get(bin) ?? 0) + count)
  const zero = counts.reduce((sum, each) => sum + each.zero, 0)
  return zero > 0 ? all.set(ZERO_BUCKET, zero) : all
}

const allValues = (samples: readonly Samples[]): readonly number[] => samples.flatMap(({ values }) => values)

const distributionOf = (data: FineData): Distribution =>
  data.is === 'samples'
    ? ofSamples(allValues(data.treatment), allValues(data.control))
    : ofBuckets(allBins(data.treatment), allBins(data.control), data.ratio)

/** The requests of each pod by bin: bin n has those above exactly n of the bounds. */
function podWindow(data: FineData, bounds: readonly number[]): ArmsOfPods {
  const binOf = (bound: number) => bounds.filter((each) => bound > each).length
  const counted = (values: Iterable<readonly [number, number]>) => {
    const bins = Array.from({ length: POD_BINS }, () => 0)
    for (const [value, count] of values) bins[binOf(value)] = (bins[binOf(value)] ?? 0) + count
    return bins
  }
  const ofSample = ({ pod, values }: Samples) =>
    pod === undefined ? [] : [{ pod, bins: counted(values.map((value) => [value, 1] as const)) }]
  const ofCounts = ({ pod, zero, buckets }: FineCounts) =>
    pod === undefined ? [] : [{ pod, bins: counted([[ZERO_BUCKET, zero], ...buckets]) }]
  return data.is === 'samples'
    ? { treatment: data.treatment.flatMap(ofSample), control: data.control.flatMap(ofSample) }
    : { treatment: data.treatment.flatMap(ofCounts), control: data.control.flatMap(ofCounts) }
}

/** The bounds at `POD_QUANTILES` of the requests of both arms; empty without requests. */
function quantilesOf({ treatment, control, boundOf }: Distribution): readonly number[] {
  const pooled = merged(treatment, control)
  return POD_QUANTILES.flatMap((quantile) => {
    const bin = binAt(pooled, quantile)
    return bin === undefined ? [] : [boundOf(bin)]
  })
}

const nearest = (bounds: readonly number[], bound: number): number => {
  const distances = bounds.map((each) => Math.abs(each - bound))
  return distances.indexOf(Math.min(...distances))
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

const inWiderState = ({ latency, podBounds, ...state }: State, ratio: number, by: number): State => ({
  ...state,
  ratio,
  latency: inWiderBuckets(latency, state.ratio, by),
  podBounds: podBounds.map((bound) => widerBucket(bound, by)),
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
  const { tolerancePercent = 0, maxRegressionPercent = 0 } = rule
  const margins = { tolerance: tolerancePercent / 100, maxRegression: maxRegressionPercent / 100 }
  const window = distributionOf(data)
  const latency = withLatencyWindow(former.latency, window, margins)
  const rungs = withEffectBets(former.rungs, betsOnRanks(window))
  const podBounds = former.podBounds.length > 0 ? former.podBounds : quantilesOf(window)
  const pods = podBounds.length > 0 ? withPods(former.pods, podWindow(data, podBounds), POD_BINS) : former.pods
  return save({ latency, ratio: former.ratio, rungs, podBounds, pods })
}

/** The result of all windows of samples or fine buckets. */
export function judgeContinuous(numbers: readonly number[], question: DecisionBounds): MetricResult {
  const { latency, ratio, rungs, podBounds, pods } = load(numbers)
  const { harm, body, tail, parts } = latencyEvidence(latency)
  const loudest = parts.indexOf(Math.max(...parts))
  const above = nearest(podBounds, latency.bounds?.[loudest - 1] ?? 0)
  const compared = loudest <= 0 ? ({ by: 'ranks' } as const) : ({ by: 'share', above } as const)
  const estimate = estimateOf(latency, ratio)
  return judged(
    {
      harm,
      safe: { body, tail },
      parts,
      samples: { treatment: totalOf(latency.treatment), control: totalOf(latency.control) },
      effect: {
        ...(estimate === undefined ? {} : { estimate }),
        ...effectBounds(rungs, needsOfHarm(question), needsOfSafety(question)),
        of: 'median',
      },
      spread: spreadOf(timeAt(latency.control, 0.5, ratio), timeAt(latency.control, 0.9, ratio)),
      pods: () => comparedPods(pods, POD_BINS, compared, question.subject),
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
