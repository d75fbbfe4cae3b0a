import {
  bodyEvidence,
  CALIBRATING_REQUESTS,
  type LatencyEvidence,
  type LatencyMargins,
  TAIL_ODDS,
  tailEvidence,
} from './coarse-latency.ts'
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
import { mixture } from './mixture.ts'
import { FACTORS, oddsSteps, SHIFTS } from './steps.ts'
import { chunksOf, evidenceIn, leftOf, noSums, type Sums, withSteps } from './sums.ts'

/** All that the next window needs of the former ones. */
export interface LatencyState {
  /** the requests of each arm */
  readonly treatment: Bins
  readonly control: Bins
  /** absent: fewer than 200 requests were seen */
  readonly bounds?: readonly number[]
  readonly ranks: Sums
  /** of all bounds */
  readonly odds: Sums
  readonly body: Sums
  readonly tail: Sums
}

/** A window, and what is left of it without each place of an arm. */
export interface LatencyWindow extends Distribution {
  readonly without?: { readonly treatment: readonly Distribution[]; readonly control: readonly Distribution[] }
}

/** The quantiles of both arms together at which the numbers of slower requests are compared. */
const QUANTILES: readonly number[] = [0.5, 0.75, 0.9, 0.95, 0.99]
/** The index in `QUANTILES` of the bound for the safety of the tail. */
const TAIL = 3

/** Before the first window. */
export const NO_LATENCY_STATE: LatencyState = {
  treatment: new Map(),
  control: new Map(),
  ranks: noSums(SHIFTS.length),
  odds: noSums(0),
  body: noSums(SHIFTS.length),
  tail: noSums(FACTORS.length),
}

/** `state` with one more window of samples or fine buckets. */
export function withLatencyWindow(former: LatencyState, window: LatencyWindow, margins: LatencyMargins): LatencyState {
  const state = calibrated(former, window)
  const { bounds } = state
  const { tolerance, maxRegression } = margins
  const { treatment = [], control = [] } = window.without ?? {}
  const of = (sets: readonly Distribution[], left: number | undefined) => leftOf<Distribution>(window, sets, left)
  const seen = {
    ...state,
    treatment: merged(state.treatment, window.treatment),
    control: merged(state.control, window.control),
    ranks: withSteps(state.ranks, treatment.length, (left) => betsOnRanks(of(treatment, left))(tolerance, 1)),
    body: withSteps(state.body, control.length, (left) => betsOnRanks(of(control, left))(maxRegression, -1)),
  }
  if (!bounds) return seen
  return {
    ...seen,
    odds: withSteps(state.odds, treatment.length, (left) =>
      bounds.flatMap((bound) => oddsSteps(of(treatment, left).above(bound, tolerance), 1, 1)),
    ),
    tail: withSteps(state.tail, control.length, (left) =>
      oddsSteps(of(control, left).above(bounds[TAIL] ?? 0, 0), TAIL_ODDS, -1),
    ),
  }
}

/** Fixes the bounds as soon as enough requests were seen in former windows. */
function calibrated(state: LatencyState, { boundOf }: Distribution): LatencyState {
  const pooled = merged(state.treatment, state.control)
  if (state.bounds || totalOf(pooled) < CALIBRATING_REQUESTS) return state
  const bounds = QUANTILES.map((quantile) => boundOf(binAt(pooled, quantile) ?? 0))
  return { ...state, bounds, odds: noSums(bounds.length * FACTORS.length) }
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
    tail: isKept ? tail : mapped(tail, (log) => Math.min(0, log)),
  }
}

const mapped = ({ all, without }: Sums, of: (log: number) => number): Sums => ({
  all: all.map(of),
  without: without.map((bets) => bets.map(of)),
})

/** The evidence of all windows: ranks and bounds together, and before there are bounds ranks alone. */
export function latencyEvidence({ ranks, odds, body, tail }: LatencyState): LatencyEvidence {
  const byRanks = evidenceIn(ranks, mixture)
  const byOdds = evidenceIn(odds, (bets) => (bets.length > 0 ? mixture(bets) : 0))
  return {
    harm: {
      all: mixture([byRanks.all, byOdds.all]),
      without: byRanks.without.map((log, place) => mixture([log, byOdds.without[place] ?? 0])),
    },
    body: evidenceIn(body, bodyEvidence),
    tail: evidenceIn(tail, tailEvidence),
    parts: [byRanks.all, ...chunksOf(odds.all, FACTORS.length).map(mixture)],
  }
}
