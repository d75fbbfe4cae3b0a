import { added, zeros } from './mixture.ts'

/**
 * The sums of some bets: of all pods, and of all but the pods in one place. Each of them is evidence by itself, and
 * without the place of a bad pod it is evidence about the other pods alone.
 */
export interface Sums {
  readonly all: readonly number[]
  /** by place */
  readonly without: readonly (readonly number[])[]
}

/** `bets` bets before the first window. */
export const noSums = (bets: number): Sums => ({ all: zeros(bets), without: [] })

/**
 * `sums` with one more window. `steps`: the increments of all pods, or of those outside of a place. A new place had no
 * pod before, so what all pods had shown until then is also what was shown without it.
 */
export const withSteps = (
  { all, without }: Sums,
  places: number,
  steps: (left?: number) => readonly number[],
): Sums => ({
  all: added(all, steps()),
  without: Array.from({ length: Math.max(places, without.length) }, (_, place) =>
    added(without[place] ?? all, steps(place)),
  ),
})

/** What is left of `all` without the place `left`; undefined: nothing is left out, as of a place without pods. */
export const leftOf = <T>(all: T, each: readonly T[], left: number | undefined): T =>
  (left === undefined ? all : each[left]) ?? all

/** The evidence of `evidenceOf` from the bets of all pods, and without each place. */
export const evidenceIn = <T>({ all, without }: Sums, evidenceOf: (bets: readonly number[]) => T) => ({
  all: evidenceOf(all),
  without: without.map(evidenceOf),
})

/** `list` in parts of `size` items. */
export const chunksOf = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: size > 0 ? Math.floor(list.length / size) : 0 }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
