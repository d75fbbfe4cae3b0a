import type { LatencyMargins } from './coarse-latency.ts'
import { added, mixture } from './mixture.ts'
import { type Counts, fixedRateSteps, rateSteps } from './steps.ts'

/** How a rate is judged. */
interface RateMargins extends LatencyMargins {
  /** up to this rate the treatment is fine, even if the rate of the control is lower; 0: off */
  readonly acceptable: number
}

/** All that the next window needs of the former ones: sums of increments. */
export interface RateState {
  readonly harm: readonly number[]
  readonly fixedHarm: readonly number[]
  readonly safe: readonly number[]
  readonly fixedSafe: readonly number[]
}

/** `state` with one more window. */
export function withRateWindow(state: RateState, counts: Counts, margins: RateMargins): RateState {
  const { tolerance, maxRegression, acceptable } = margins
  const compared = {
    harm: added(state.harm, rateSteps(counts, 1 + tolerance, 1)),
    safe: added(state.safe, rateSteps(counts, 1 + maxRegression, -1)),
  }
  if (acceptable === 0) return { ...state, ...compared }
  return {
    ...compared,
    fixedHarm: added(state.fixedHarm, fixedRateSteps(counts, acceptable, 1)),
    fixedSafe: added(state.fixedSafe, fixedRateSteps(counts, acceptable, -1)),
  }
}

/** Harm needs both: worse than the control, and above what is acceptable. Safety needs one of them. */
export function rateEvidence(state: RateState, { acceptable }: Pick<RateMargins, 'acceptable'>) {
  const [harm, safe] = [mixture(state.harm), mixture(state.safe)]
  if (acceptable === 0) return { harm, safe }
  return {
    harm: Math.min(harm, mixture(state.fixedHarm)),
    safe: mixture([safe, mixture(state.fixedSafe)]),
  }
}
