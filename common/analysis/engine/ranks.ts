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
