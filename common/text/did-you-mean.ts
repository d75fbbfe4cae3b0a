/**
 * The key among `known` that differs from `found` only in case, or else the nearest that is at most two edits away (one
 * for keys below four characters); a swap of two neighbours is one edit. Of equally near ones, the first by alphabet.
 * Undefined also if there are more than `most` keys: a list may have 1,000 wrong ones, each compared with all of them.
 */
export function didYouMean(found: string, known: readonly string[], most = MAX_KNOWN): string | undefined {
  if (known.length > most || found.length > MAX_LENGTH) return undefined
  const lower = found.toLowerCase()
  const sameButCase = known.find((key) => key.toLowerCase() === lower)
  if (sameButCase !== undefined) return sameButCase
  const limit = found.length < 4 ? 1 : 2
  const [nearest] = known
    .filter((key) => Math.abs(key.length - found.length) <= limit) // skips long hostile keys at no cost
    .map((key) => ({ key, distance: editDistance(found, key, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.key < b.key ? -1 : 1))
  return nearest?.key
}

const MAX_KNOWN = 100
/** The longest key that is compared: the time grows with its square. */
const MAX_LENGTH = 253

/**
 * The fewest insertions, deletions and replacements of a character, and swaps of two neighbours, from `from` to `to`.
 * No part is edited twice (the optimal string alignment). Infinite if it is more than `limit`.
 */
export function editDistance(from: string, to: string, limit = Number.POSITIVE_INFINITY): number {
  let beforePrevious: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = cell(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? cell(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(replaced, swapped, cell(previous, column) + 1, cell(current, column - 1) + 1))
    }
    if (Math.min(...current) > limit && Math.min(...previous) > limit) return Number.POSITIVE_INFINITY
    beforePrevious = previous
    previous = current
  }
  const distance = cell(previous, to.length)
  return distance <= limit ? distance : Number.POSITIVE_INFINITY
}

const cell = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
