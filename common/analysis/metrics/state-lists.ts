import { chunksOf, type Sums } from '../engine/sums.ts'

/**
 * Lists of numbers as one list, each after its length. Negative zeros become zeros: they would not come back from the
 * API server.
 */
export const joinLists = (...lists: readonly (readonly number[])[]): readonly number[] =>
  lists.flatMap((list) => [list.length, ...list]).map((value) => value + 0)

/** The lists that `joinLists` has joined. */
export function splitLists(numbers: readonly number[]): readonly (readonly number[])[] {
  const lists: (readonly number[])[] = []
  for (let at = 0; at < numbers.length; ) {
    const end = at + 1 + (numbers[at] ?? 0)
    lists.push(numbers.slice(at + 1, end))
    at = end
  }
  return lists
}

/** Some sums of bets as two lists. */
export const listsOfSums = (sums: readonly Sums[]): readonly (readonly number[])[] =>
  sums.flatMap(({ all, without }) => [all, without.flat()])

/** The sums that `listsOfSums` has made these two lists of. */
export const sumsIn = (all: readonly number[], without: readonly number[]): Sums => ({
  all,
  without: chunksOf(without, all.length),
})
