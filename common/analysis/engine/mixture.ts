/**
 * The logarithm of the mean of the parts whose logarithms are `logs`. A mean of several bets on the same question is a
 * bet, too: with it nobody has to know beforehand how large the difference is.
 */
export function mixture(logs: readonly number[]): number {
  const most = Math.max(...logs)
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length)
}

/** The sums of two lists of the same length, place by place. */
export const added = (sums: readonly number[], more: readonly number[]): readonly number[] =>
  sums.map((sum, index) => sum + (more[index] ?? 0))

/** `length` zeros: a bet before its first window. */
export const zeros = (length: number): readonly number[] => Array.from({ length }, () => 0)
