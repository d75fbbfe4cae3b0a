import { added, mixture, zeros } from './mixture.ts'
import { type BetDirection, FACTORS, oddsSteps } from './steps.ts'
import { chunksOf, evidenceIn, leftOf, noSums, type Sums, withSteps } from './sums.ts'

/** How many requests of an arm took longer than each boundary, and how many there were. */
export interface Exceeding {
  readonly exceeding: readonly number[]
  readonly total: number
}

/** A window of histograms with the same boundaries in both arms, in seconds. */
interface CoarseWindow {
  readonly boundaries: readonly number[]
  readonly treatment: Exceeding
  readonly control: Exceeding
  /** each arm without each of its places; absent: it has none */
  readonly without?: { readonly treatment: readonly Exceeding[]; readonly control: readonly Exceeding[] }
}

/** How much worse is tolerated, and how much worse has to be ruled out, as parts: 0.1 is 10 %. */
export interface LatencyMargins {
  readonly tolerance: number
  readonly maxRegression: number
}

/** Which boundaries count, by index. */
interface Calibration {
  readonly live: readonly number[]
  /** nearest to the median, and to the slowest twentieth, of both arms together */
  readonly body: number
  readonly tail: number
}

/** All that the next window needs of the former ones. */
export interface CoarseState {
  /** of all former windows, of both arms together and of the control */
  readonly pooled: Exceeding
  readonly control: Exceeding
  /** absent: fewer than 200 requests were seen */
  readonly calibration?: Calibration
  /** sums of increments: of all live boundaries, of the body and of the tail */
  readonly harm: Sums
  readonly body: Sums
  readonly tail: Sums
}

/** Requests of both arms that must have been seen before it is fixed which boundaries count. */
export const CALIBRATING_REQUESTS = 200
/**
 * A boundary counts if the part of the requests above it is between these two. The first one with fewer counts, too: it
 * is the only one if all requests are in one bucket.
 */
const [MOST_SHARE, LEAST_SHARE] = [0.995, 0.005]
/** The odds ratio of the tail that has to be ruled out: twice the odds. */
export const TAIL_ODDS = 2
const isInside = (share: number): boolean => share >= LEAST_SHARE && share <= MOST_SHARE
/** The exponent of the tolerance before the control has shown how its odds change with time. */
const USUAL_SLOPE = 2
const STEEPEST_SLOPE = 6
/** Where odds hardly change with time, a boundary says nothing about it, and safety cannot be shown. */
const FLATTEST_SLOPE = 0.1
/** The part of an interpolated slope that is sure. */
const INTERPOLATED = 0.9

/** Before the first window. */
export const noCoarseState = (boundaries: number): CoarseState => ({
  pooled: { exceeding: zeros(boundaries), total: 0 },
  control: { exceeding: zeros(boundaries), total: 0 },
  harm: noSums(0),
  body: noSums(FACTORS.length),
  tail: noSums(FACTORS.length),
})

/**
 * `state` with one more window. What lies between two boundaries is not known, so tolerance is about the odds to exceed
 * each boundary. By how much they may grow is known before the window, from how the odds of the control fell from one
 * boundary to the next in all windows before. `isNarrow`: only the boundaries of body and tail count.
 */
export function withCoarseWindow(
  former: CoarseState,
  window: CoarseWindow,
  margins: LatencyMargins,
  isNarrow = false,
): CoarseState {
  const state = calibrated(former, isNarrow)
  const { calibration } = state
  const seen = {
    ...state,
    pooled: sum(state.pooled, sum(window.treatment, window.control)),
    control: sum(state.control, window.control),
  }
  if (!calibration) return seen
  const { treatment, control, without = { treatment: [], control: [] } } = window
  const steps = (index: number, [own, others]: readonly [Exceeding, Exceeding], odds: number, side: BetDirection) =>
    oddsSteps(
      {
        events: own.exceeding[index] ?? 0,
        exposure: own.total,
        controlEvents: others.exceeding[index] ?? 0,
        controlExposure: others.total,
      },
      odds,
      side,
    )
  const { tolerance, maxRegression } = margins
  const exponentsAt = (index: number) => exponents(state.control, window.boundaries, index)
  const tolerated = calibration.live.map((index) => [index, (1 + tolerance) ** exponentsAt(index).most] as const)
  const ruledOut = (1 + maxRegression) ** exponentsAt(calibration.body).least
  const safe = (former: Sums, index: number, odds: number) =>
    withSteps(former, without.control.length, (left) =>
      steps(index, [treatment, leftOf(control, without.control, left)], odds, -1),
    )
  return {
    ...seen,
    harm: withSteps(state.harm, without.treatment.length, (left) =>
      tolerated.flatMap(([index, odds]) =>
        steps(index, [leftOf(treatment, without.treatment, left), control], odds, 1),
      ),
    ),
    body: safe(state.body, calibration.body, ruledOut),
    tail: safe(state.tail, calibration.tail, TAIL_ODDS),
  }
}

/** Fixes which boundaries count, as soon as enough requests were seen in former windows. */
function calibrated(state: CoarseState, isNarrow: boolean): CoarseState {
  const { total, exceeding } = state.pooled
  if (state.calibration || total < CALIBRATING_REQUESTS) return state
  const shares = exceeding.map((count) => count / total)
  const inside = shares.flatMap((share, index) => (isInside(share) ? [index] : []))
  const above = shares.findIndex((share) => share < LEAST_SHARE)
  const [body, tail] = [nearest(shares, 0.5), nearest(shares, 0.05)]
  const live = isNarrow ? [...new Set([body, tail])] : above < 0 ? inside : [...inside, above]
  const calibration = { live, body, tail }
  return { ...state, calibration, harm: noSums(live.length * FACTORS.length) }
}

/** Whether requests are on both sides of the boundary of the body. If all are in one bucket, it says nothing. */
export const isSeen = ({ pooled, calibration }: CoarseState): boolean =>
  !calibration || isInside((pooled.exceeding[calibration.body] ?? 0) / pooled.total)

/** The boundary whose odds are nearest to those of `share`. */
function nearest(shares: readonly number[], share: number): number {
  const logOdds = (q: number) => Math.log((q + 1e-4) / (1 - q + 1e-4))
  const distances = shares.map((each) => Math.abs(logOdds(each) - logOdds(share)))
  return distances.indexOf(Math.min(...distances))
}

/**
 * The largest and the smallest exponent n for a boundary, as far as former windows of the control show it: a slowdown
 * by a factor multiplies the odds to exceed the boundary by the nth power of this factor. In the bucket below the
 * boundary the odds are interpolated, so the smallest one is taken with a part to spare. It is not above the usual one:
 * where odds change steeply, the bucket says little about where in it they do.
 */
export function exponents(control: Exceeding, boundaries: readonly number[], index: number) {
  // nothing is before the lowest boundary: the slope behind it has to do
  const slope = slopeOf(control, boundaries, Math.max(1, index))
  return {
    most: clamp(slope ?? USUAL_SLOPE, USUAL_SLOPE, STEEPEST_SLOPE),
    least: clamp(INTERPOLATED * (slope ?? 0), FLATTEST_SLOPE, USUAL_SLOPE),
  }
}

/**
 * The slope by which the control's log odds to exceed a boundary fall over log time, between this boundary and the one
 * before it. Undefined while it is not known, or if one of these boundaries is not there.
 */
function slopeOf({ exceeding, total }: Exceeding, boundaries: readonly number[], index: number): number | undefined {
  const [lower, upper] = [boundaries[index - 1], boundaries[index]]
  if (total < CALIBRATING_REQUESTS || lower === undefined || upper === undefined) return undefined
  const logOdds = (at: number) => {
    const count = exceeding[at] ?? 0
    return Math.log((count + 0.5) / (total - count + 0.5))
  }
  return (logOdds(index - 1) - logOdds(index)) / Math.log(upper / lower)
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

const sum = (one: Exceeding, other: Exceeding): Exceeding => ({
  exceeding: added(one.exceeding, other.exceeding),
  total: one.total + other.total,
})

/** Evidence of all pods, and without each place. */
interface ByPlace {
  readonly all: number
  readonly without: readonly number[]
}

/** What the windows show, as logarithms. */
export interface LatencyEvidence {
  readonly harm: ByPlace
  readonly body: ByPlace
  readonly tail: ByPlace
  /** the parts of harm: a Pass needs that none of them is likely */
  readonly parts: readonly number[]
}

/** The bets of the body that can win where the versions are about equal: the largest look for a far faster fork. */
const BODY_BETS = 4
/** The bets of the tail that can win there, around the one on equal odds. */
const TAIL_BETS = [1, 5] as const

/** Evidence that the middle of the times is not worse, from the bets on shifts or on factors. */
export const bodyEvidence = (bets: readonly number[]): number => mixture(bets.slice(0, BODY_BETS))

/** Evidence that the odds of the tail have not doubled. Half of the capital is on the bet that they are equal. */
export const tailEvidence = (bets: readonly number[]): number =>
  mixture([bets[FACTORS.indexOf(TAIL_ODDS)] ?? 0, mixture(bets.slice(...TAIL_BETS))])

/** The evidence of all windows. Harm may be shown at any live boundary. */
export function coarseEvidence({ harm, body, tail }: CoarseState): LatencyEvidence {
  return {
    harm: evidenceIn(harm, (all) => (all.length > 0 ? mixture(all) : 0)),
    body: evidenceIn(body, bodyEvidence),
    tail: evidenceIn(tail, tailEvidence),
    parts: chunksOf(harm.all, FACTORS.length).map(mixture),
  }
}
