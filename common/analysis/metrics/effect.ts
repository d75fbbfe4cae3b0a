import type { MetricRule } from '../../api/analysis/metric.ts'
import type { LatencyMargins } from '../engine/coarse-latency.ts'
import { added, mixture, zeros } from '../engine/mixture.ts'
import type { BetDirection } from '../engine/steps.ts'
import { chunksOf } from '../engine/sums.ts'
import type { Effect } from './metric-engine.ts'

/** The effects in percent for which bets are kept. The bounds of a reported effect are values of this list. */
export const EFFECT_STEPS: readonly number[] = [-20, -10, -5, 0, 5, 10, 15, 20, 25, 35, 50, 75, 100, 200]

/** The increments of the bets that the treatment is worse (1), or not worse (−1), by more than `margin`, as a part. */
type StepsAt = (margin: number, side: BetDirection) => readonly number[]

/** The margins of a rule, as parts. */
export const marginsOf = ({ tolerancePercent = 0, maxRegressionPercent = 0 }: MetricRule): LatencyMargins => ({
  tolerance: tolerancePercent / 100,
  maxRegression: maxRegressionPercent / 100,
})

/** The sums of the bets on all of `EFFECT_STEPS`, with one more window: first the bets on harm, then on safety. */
export function withEffectBets(rungs: readonly number[], steps: StepsAt): readonly number[] {
  const more = ([1, -1] as const).flatMap((side) => EFFECT_STEPS.flatMap((percent) => steps(percent / 100, side)))
  return added(rungs.length > 0 ? rungs : zeros(more.length), more)
}

/** How much evidence is needed, and how many bets each step has on harm, if not as many as on safety. */
interface EffectNeeds {
  readonly harm: number
  readonly safety: number
  readonly harmBets?: number
}

/** By how many percent the treatment is worse, at least and at most. The error bounds hold at every look. */
export function effectBounds(rungs: readonly number[], { harm, safety, harmBets }: EffectNeeds) {
  if (rungs.length === 0) return {}
  const ofHarm = EFFECT_STEPS.length * (harmBets ?? rungs.length / (2 * EFFECT_STEPS.length))
  const logs = (bets: readonly number[]) => chunksOf(bets, bets.length / EFFECT_STEPS.length).map(mixture)
  const [worse, better] = [logs(rungs.slice(0, ofHarm)), logs(rungs.slice(ofHarm))]
  const atLeast = EFFECT_STEPS.findLast((_, index) => (worse[index] ?? 0) >= harm)
  const atMost = EFFECT_STEPS.find((_, index) => (better[index] ?? 0) >= safety)
  return { ...(atLeast === undefined ? {} : { atLeast }), ...(atMost === undefined ? {} : { atMost }) }
}

/**
 * `effect` with its estimate inside of what is shown: that follows from the windows one by one, and the estimate from
 * all requests together.
 */
export function withEstimateInside(effect: Effect): Effect {
  const { estimate, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = effect
  return estimate === undefined ? effect : { ...effect, estimate: Math.max(atLeast, Math.min(atMost, estimate)) }
}

/** By how many percent of its size `one` is more than `other`; undefined where that is no number. */
export function percentMore(one: number, other: number): number | undefined {
  const percent = 100 * Math.sign(other) * (one / other - 1)
  return Number.isFinite(percent) ? percent + 0 : undefined // 0 for -0
}
