import { CALIBRATING_REQUESTS, type LatencyEvidence, type LatencyMargins, TAIL_ODDS } from './coarse-latency.ts'
import {
  type Bins,
  betsOnRanks,
  binAt,
  type Distribution,
  merged,
  totalOf,
  widerBins,
  widerBucket,
} from './distribution.ts'
import { added, mixture, zeros } from './mixture.ts'
import { FACTORS, oddsSteps, SHIFTS } from './steps.ts'

/** All that the next window needs of the former ones. */
export interface LatencyState {
  /** the requests of each arm */
  readonly treatment: Bins
  readonly control: Bins
  /** absent: fewer than 200 requests were seen */
  readonly bounds?: readonly number[]
  readonly ranks: readonly number[]
  /** for each bound */
  readonly odds: readonly (readonly number[])[]
  readonly body: readonly number[]
  readonly tail: readonly number[]
}

/** The quantiles of both arms together at which the numbers of slower requests are compared. */
const QUANTILES: readonly number[] = [0.5, 0.75, 0.9, 0.95, 0.99]
/** The index in `QUANTILES` of the bound for the safety of the tail. */
const TAIL = 3

/** Before the first window. */
export const NO_LATENCY_STATE: LatencyState = {
  treatment: new Map(),
  control: new Map(),
  ranks: zeros(SHIFTS.length),
  odds: [],
  body: zeros(SHIFTS.length),
  tail: zeros(FACTORS.length),
}

/** `state` with one more window of samples or fine buckets. */
export function withLatencyWindow(former: LatencyState, window: Distribution, margins: LatencyMargins): LatencyState {
  const state = calibrated(former, window)
  const { bounds } = state
  const { tolerance, maxRegression } = margins
  const bets = betsOnRanks(window)
  const seen = {
    ...state,
    treatment: merged(state.treatment, window.treatment),
    control: merged(state.control, window.control),
    ranks: added(state.ranks, bets(tolerance, 1)),
    body: added(state.body, bets(maxRegression, -1)),
  }
  if (!bounds) return seen
  const odds = bounds.map((bound, index) =>
    added(state.odds[index] ?? [], oddsSteps(window.above(bound, tolerance), 1, 1)),
  )
  return { ...seen, odds, tail: added(state.tail, oddsSteps(window.above(bounds[TAIL] ?? 0, 0), TAIL_ODDS, -1)) }
}

/** Fixes the bounds as soon as enough requests were seen in former windows. */
function calibrated(state: LatencyState, { boundOf }: Distribution): LatencyState {
  const pooled = merged(state.treatment, state.control)
  if (state.bounds || totalOf(pooled) < CALIBRATING_REQUESTS) return state
  const bounds = QUANTILES.map((quantile) => boundOf(binAt(pooled, quantile) ?? 0))
  return { ...state, bounds, odds: bounds.map(() => zeros(FACTORS.length)) }
}

/**
 * `state` of buckets that grow by `ratio`, for wider buckets: each joins `by` of them. Its evidence stays, because each
 * bet was fair when it was made, and harm may be shown at any bound. But safety of the tail is about one bound: where
 * that moves, what was shown of the former one is not shown of this one, and only what speaks against it stays.
 */
export function inWiderBuckets(state: LatencyState, ratio: number, by: number): LatencyState {
  const { treatment, control, bounds, tail } = state
  const binned = { treatment: widerBins(treatment, ratio, by), control: widerBins(control, ratio, by) }
  if (!bounds) return { ...state, ...binned }
  const isKept = (bounds[TAIL] ?? 0) % by === 0
  return {
    ...state,
    ...binned,
    bounds: bounds.map((bound) => widerBucket(bound, by)),
    tail: isKept ? tail : tail.map((log) => Math.min(0, log)),
  }
}

/** The evidence of all windows: ranks and bounds together, and before there are bounds ranks alone. */
export function latencyEvidence({ ranks, odds, body, tail }: LatencyState): LatencyEvidence {
  const [byRanks, byOdds] = [mixture(ranks), odds.length > 0 ? mixture(odds.flat()) : 0]
  return {
    harm: mixture([byRanks, byOdds]),
    body: mixture(body),
    tail: mixture(tail),
    parts: [byRanks, ...odds.map(mixture)],
  }
}
