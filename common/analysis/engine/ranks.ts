import type { Ranks } from './steps.ts'

/** How the values of two samples compare. `scale` multiplies those of the control. */
export const ranksOf = (treatment: readonly number[], control: readonly number[], scale = 1): Ranks =>
  ranksOfSorted(Float64Array.from(treatment).sort(), Float64Array.from(control).sort(), scale)

/** The same of values in ascending order. */
export function ranksOfSorted(treatment: Float64Array, control: Float64Array, scale: number): Ranks {
  const [a, b] = [treatment.length, control.length]
  let [below, upTo, u] = [0, 0, 0]
  for (const value of treatment) {
    while (below < b && (control[below] ?? 0) * scale < value) below += 1
    while (upTo < b && (control[upTo] ?? 0) * scale <= value) upTo += 1
    u += (below + upTo) / 2
  }
  return { u, a, b }
}

/** How many values are in each bin, in ascending order. */
export type SortedBins = readonly (readonly [bin: number, count: number])[]

/** The same of values in bins. `moved`: the bin of a value of the control, once it is longer; it keeps the order. */
export function ranksOfBins(treatment: SortedBins, control: SortedBins, moved: (bin: number) => number): Ranks {
  let [u, a, below, index] = [0, 0, 0, 0]
  for (const [bin, count] of treatment) {
    let other = control[index]
    while (other && moved(other[0]) < bin) {
      below += other[1]
      index += 1
      other = control[index]
    }
    const same = other && moved(other[0]) === bin ? other[1] : 0
    u += count * (below + same / 2)
    a += count
  }
  return { u, a, b: control.reduce((sum, [, count]) => sum + count, 0) }
}

/** The same of counts by bucket. Values in the same bucket count as equal. */
export function ranksOfBuckets(treatment: readonly number[], control: readonly number[]): Ranks {
  let [u, a, b] = [0, 0, 0]
  for (const [index, count] of treatment.entries()) {
    const same = control[index] ?? 0
    u += count * (b + same / 2)
    a += count
    b += same
  }
  return { u, a, b: control.reduce((sum, count) => sum + count, 0) }
}
