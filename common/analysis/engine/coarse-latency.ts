import { added, mixture, zeros } from './mixture.ts'
import { type BetDirection, FACTORS, oddsSteps } from './steps.ts'

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
  /** sums of increments: for each live boundary, for the body and for the tail */
  readonly harm: readonly (readonly number[])[]
  readonly body: readonly number[]
  readonly tail: readonly number[]
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
/** The exponent of the tolerance before the control has shown how its odds change with time. */
const USUAL_SLOPE = 2
const STEEPEST_SLOPE = 6

/** Before the first window. */
export const noCoarseState = (boundaries: number): CoarseState => ({
  pooled: { exceeding: zeros(boundaries), total: 0 },
  control: { exceeding: zeros(boundaries), total: 0 },
  harm: [],
  body: zeros(FACTORS.length),
  tail: zeros(FACTORS.length),
})

/**
 * `state` with one more window. What lies between two boundaries is not known, so tolerance is about the odds to exceed
 * each boundary. By how much they may grow is known before the window, from how the odds of the control fell from one
 * boundary to the next in all windows before.
 */
export function withCoarseWindow(former: CoarseState, window: CoarseWindow, margins: LatencyMargins): CoarseState {
  const state = calibrated(former)
  const { calibration } = state
  const seen = {
    ...state,
    pooled: sum(state.pooled, sum(window.treatment, window.control)),
    control: sum(state.control, window.control),
  }
  if (!calibration) return seen
  const steps = (index: number, odds: number, side: BetDirection) =>
    oddsSteps(
      {
        events: window.treatment.exceeding[index] ?? 0,
        exposure: window.treatment.total,
        controlEvents: window.control.exceeding[index] ?? 0,
        controlExposure: window.control.total,
      },
      odds,
      side,
    )
  const { tolerance, maxRegression } = margins
  const exponentsAt = (index: number) => exponents(state.control, window.boundaries, index)
  const toleratedAt = (index: number) => (1 + tolerance) ** exponentsAt(index).most
  const ruledOutAt = (index: number) => (1 + maxRegression) ** exponentsAt(index).least
  return {
    ...seen,
    harm: calibration.live.map((index, place) => added(state.harm[place] ?? [], steps(index, toleratedAt(index), 1))),
    body: added(state.body, steps(calibration.body, ruledOutAt(calibration.body), -1)),
    tail: added(state.tail, steps(calibration.tail, TAIL_ODDS, -1)),
  }
}

/** Fixes which boundaries count, as soon as enough requests were seen in former windows. */
function calibrated(state: CoarseState): CoarseState {
  const { total, exceeding } = state.pooled
  if (state.calibration || total < CALIBRATING_REQUESTS) return state
  const shares = exceeding.map((count) => count / total)
  const inside = shares.flatMap((share, index) => (share >= LEAST_SHARE && share <= MOST_SHARE ? [index] : []))
  const above = shares.findIndex((share) => share < LEAST_SHARE)
  const live = above < 0 ? inside : [...inside, above]
  const calibration = { live, body: nearest(shares, 0.5), tail: nearest(shares, 0.05) }
  return { ...state, calibration, harm: live.map(() => zeros(FACTORS.length)) }
}

/** The boundary whose odds are nearest to those of `share`. */
function nearest(shares: readonly number[], share: number): number {
  const logOdds = (q: number) => Math.log((q + 1e-4) / (1 - q + 1e-4))
  const distances = shares.map((each) => Math.abs(logOdds(each) - logOdds(share)))
  return distances.indexOf(Math.min(...distances))
}

/**
 * The largest and the smallest exponent n for a boundary, as far as former windows of the control show it: a slowdown
 * by a factor multiplies the odds to exceed the boundary by the nth power of this factor.
 */
export function exponents(control: Exceeding, boundaries: readonly number[], index: number) {
  const slope = slopeOf(control, boundaries, index)
  // nothing is before the lowest boundary: the slope behind it will do, as too large a tolerance costs only power
  const steepest = index === 0 ? slopeOf(control, boundaries, 1) : slope
  return { most: clamp(steepest, USUAL_SLOPE, STEEPEST_SLOPE), least: clamp(slope, 1, USUAL_SLOPE) }
}

/**
 * The slope by which the control's log odds to exceed a boundary fall over log time, between this boundary and the one
 * before it. `USUAL_SLOPE` while it is not known, or if one of these boundaries is not there.
 */
function slopeOf({ exceeding, total }: Exceeding, boundaries: readonly number[], index: number): number {
  const [lower, upper] = [boundaries[index - 1], boundaries[index]]
  if (total < CALIBRATING_REQUESTS || lower === undefined || upper === undefined) return USUAL_SLOPE
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

/** What the windows show, as logarithms. */
export interface LatencyEvidence {
  readonly harm: number
  readonly body: number
  readonly tail: number
  /** the parts of harm: a Pass needs that none of them is likely */
  readonly parts: readonly number[]
}

/** The evidence of all windows. Harm may be shown at any live boundary. */
export function coarseEvidence({ harm, body, tail }: CoarseState): LatencyEvidence {
  const parts = harm.map(mixture)
  return { harm: parts.length > 0 ? mixture(harm.flat()) : 0, body: mixture(body), tail: mixture(tail), parts }
}
