import { added, mixture, zeros } from '../engine/mixture.ts'
import type { BetDirection } from '../engine/steps.ts'
import { chunksOf } from './state-lists.ts'

/** The slowdowns and growths in percent between which an effect is told. From section 6. */
export const EFFECT_STEPS: readonly number[] = [-20, -10, -5, 0, 5, 10, 15, 20, 25, 35, 50, 75, 100, 200]

/** The increments of a bet that the treatment is worse (1), or not worse (−1), than by `margin`, as a part. */
export type StepsAt = (margin: number, side: BetDirection) => readonly number[]

/** The sums of the bets at all steps of the ladder, with those of one more window: first those of harm. */
export function withEffectBets(rungs: readonly number[], steps: StepsAt): readonly number[] {
  const more = ([1, -1] as const).flatMap((side) => EFFECT_STEPS.flatMap((percent) => steps(percent / 100, side)))
  return added(rungs.length > 0 ? rungs : zeros(more.length), more)
}

/** What all windows have shown: worse by at least, and by at most so many percent. It holds at every look. */
export function effectBounds(rungs: readonly number[], needsOfHarm: number, needsOfSafety: number) {
  if (rungs.length === 0) return {}
  const logs = chunksOf(rungs, rungs.length / (2 * EFFECT_STEPS.length)).map(mixture)
  const atLeast = EFFECT_STEPS.findLast((_, index) => (logs[index] ?? 0) >= needsOfHarm)
  const atMost = EFFECT_STEPS.find((_, index) => (logs[EFFECT_STEPS.length + index] ?? 0) >= needsOfSafety)
  return { ...(atLeast === undefined ? {} : { atLeast }), ...(atMost === undefined ? {} : { atMost }) }
}

/** By how many percent of its size `one` is more than `other`; undefined where that is no number. */
export function percentMore(one: number, other: number): number | undefined {
  const percent = 100 * Math.sign(other) * (one / other - 1)
  return Number.isFinite(percent) ? percent + 0 : undefined // 0 for -0
}
