import type { LatencyMargins } from './coarse-latency.ts'
import { dividedBy } from './dispersion.ts'
import { added, mixture, zeros } from './mixture.ts'
import { type Counts, FACTORS, fixedRateSteps, partSteps, rateSteps, shareSteps, WAGERS } from './steps.ts'
import { evidenceIn, leftOf, noSums, type Sums, withSteps } from './sums.ts'

/** How a rate is judged. */
export interface RateMargins extends LatencyMargins {
  /** up to this rate the treatment is fine, even if the rate of the control is lower; 0: off */
  readonly acceptable: number
  /**
   * Whether the events are what is good, so that both arms have changed places. Then nearly each request can be one,
   * and how often they come together is learned, because a bet on their share would win too little.
   */
  readonly areGood?: boolean
}

/** A window of both arms, and what is left of it without each place of one of them. */
export interface RateWindow {
  readonly all: Counts
  /** the same for the bets on harm, which may allow the treatment more exposure than it had */
  readonly harm: Counts
  /** `harm` without each place whose pods could explain it */
  readonly ofHarm: readonly Counts[]
  /** `all` without each place whose pods could explain safety */
  readonly ofSafety: readonly Counts[]
}

/** All that the next window needs of the former ones: sums of increments. */
export interface RateState {
  readonly harm: Sums
  readonly fixedHarm: Sums
  readonly safe: Sums
  readonly fixedSafe: readonly number[]
}

/** How many bets on harm there are: another sort where events are what is good. */
export const betsOf = ({ areGood = false }: Partial<RateMargins>) => (areGood ? FACTORS : WAGERS).length

/** Before the first window. */
export const noRateState = (margins: Partial<RateMargins>): RateState => ({
  harm: noSums(betsOf(margins)),
  fixedHarm: noSums(WAGERS.length),
  safe: noSums(FACTORS.length),
  fixedSafe: zeros(FACTORS.length),
})

/** `state` with one more window. */
export function withRateWindow(state: RateState, window: RateWindow, margins: RateMargins): RateState {
  const { tolerance, maxRegression, acceptable, areGood = false } = margins
  const { all, harm, ofHarm, ofSafety } = window
  const harmSteps = areGood ? (counts: Counts, ratio: number) => rateSteps(counts, ratio, 1) : shareSteps
  const compared = {
    harm: withSteps(state.harm, ofHarm.length, (left) => harmSteps(leftOf(harm, ofHarm, left), 1 + tolerance)),
    safe: withSteps(state.safe, ofSafety.length, (left) =>
      rateSteps(leftOf(all, ofSafety, left), 1 + maxRegression, -1),
    ),
  }
  if (acceptable === 0) return { ...state, ...compared }
  return {
    ...compared,
    fixedHarm: withSteps(state.fixedHarm, ofHarm.length, (left) => partSteps(leftOf(harm, ofHarm, left), acceptable)),
    fixedSafe: added(state.fixedSafe, fixedRateSteps(all, acceptable, -1)),
  }
}

/**
 * The evidence of all windows, and without each place. Harm needs both: worse than the control, and above what is
 * acceptable. Safety needs one of them. `dispersion`: how many events come together.
 */
export function rateEvidence(state: RateState, { acceptable, areGood = false }: RateMargins, dispersion: number) {
  const compared = evidenceIn(state.harm, areGood ? (bets) => dividedBy(mixture(bets), dispersion) : mixture)
  const safe = evidenceIn(state.safe, (bets) => dividedBy(mixture(bets), dispersion))
  if (acceptable === 0) return { harm: compared, safe }
  const fixed = evidenceIn(state.fixedHarm, mixture)
  const fixedSafe = dividedBy(mixture(state.fixedSafe), dispersion)
  return {
    harm: {
      all: Math.min(compared.all, fixed.all),
      without: compared.without.map((log, place) => Math.min(log, fixed.without[place] ?? log)),
    },
    safe: {
      all: mixture([safe.all, fixedSafe]),
      without: safe.without.map((log) => mixture([log, fixedSafe])),
    },
  }
}
