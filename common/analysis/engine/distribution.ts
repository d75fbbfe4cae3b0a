import { ranksOfBuckets, ranksOfSorted } from './ranks.ts'
import { type Counts, type Ranks, rankBets, type Side } from './steps.ts'

/** How many requests are in each bin, by the number of the bin. */
export type Bins = ReadonlyMap<number, number>

/** A window of which it is known, for each bound that matters, how many requests of an arm took longer. */
export interface Distribution {
  /** all requests of each arm */
  readonly treatment: Bins
  readonly control: Bins
  /** the bound that belongs to the upper end of a bin */
  readonly boundOf: (bin: number) => number
  /** the treatment against the control, whose times are longer by `margin`. A bet never claims more than it may. */
  readonly ranks: (margin: number, side: Side) => Ranks
  /** requests above `bound`, with the same `margin` */
  readonly above: (bound: number, margin: number) => Counts
}

/** The bets on the ranks of a window: that the treatment is worse (1), or not worse (−1), than by a margin. */
export function betsOnRanks({ ranks }: Pick<Distribution, 'ranks'>): (margin: number, side: Side) => readonly number[] {
  const bets = rankBets(ranks(0, 1))
  return (margin, side) => bets(ranks(margin, side).u, side)
}

/** Bins of times in each doubling. */
const BINS = 8
/** 2^±50 seconds: shorter and longer times are as long as that. */
const OUTERMOST_BIN = 400

/** Of single times in seconds. Bin k is (2^((k−1)/8), 2^(k/8)], and its bound is a time. */
export function ofSamples(treatment: readonly number[], control: readonly number[]): Distribution {
  const above = (values: readonly number[], bound: number) => values.filter((value) => value > bound).length
  const [own, others] = [Float64Array.from(treatment).sort(), Float64Array.from(control).sort()]
  return {
    treatment: binned(treatment),
    control: binned(control),
    boundOf: (bin) => 2 ** (bin / BINS),
    ranks: (margin) => ranksOfSorted(own, others, 1 + margin),
    above: (bound, margin) => ({
      events: above(treatment, bound),
      exposure: treatment.length,
      controlEvents: control.filter((value) => (1 + margin) * value > bound).length,
      controlExposure: control.length,
    }),
  }
}

function binned(values: readonly number[]): Bins {
  const counts = new Map<number, number>()
  for (const value of values) {
    const bin = Math.max(-OUTERMOST_BIN, Math.min(OUTERMOST_BIN, Math.ceil(BINS * Math.log2(value))))
    counts.set(bin, (counts.get(bin) ?? 0) + 1)
  }
  return counts
}

/**
 * Of a histogram whose buckets grow by `ratio`; the bound of a bucket is its own number. Times that are longer by a
 * margin are so many buckets further up: for a bet on harm rounded up, for one on safety down.
 */
export function ofBuckets(treatment: Bins, control: Bins, ratio: number): Distribution {
  const shiftOf = (margin: number, side: Side) => {
    const exact = Math.log1p(margin) / Math.log(ratio)
    return side === 1 ? Math.ceil(exact - ROUNDING) : Math.floor(exact + ROUNDING)
  }
  const above = (bins: Bins, bound: number) => totalOf([...bins].filter(([bin]) => bin > bound))
  return {
    treatment,
    control,
    boundOf: (bin) => bin,
    ranks: (margin, side) => {
      const shifted = new Map([...control].map(([bin, count]) => [bin + shiftOf(margin, side), count]))
      const all = [...new Set([...treatment.keys(), ...shifted.keys()])].toSorted((one, other) => one - other)
      const countsOf = (bins: Bins) => all.map((bin) => bins.get(bin) ?? 0)
      return ranksOfBuckets(countsOf(treatment), countsOf(shifted))
    },
    above: (bound, margin) => ({
      events: above(treatment, bound),
      exposure: totalOf(treatment),
      controlEvents: above(control, bound - shiftOf(margin, 1)),
      controlExposure: totalOf(control),
    }),
  }
}

/** A margin that is a whole number of buckets but for its last digits is that number. */
const ROUNDING = 1e-9

/** How many requests `bins` have. */
export const totalOf = (bins: Iterable<readonly [number, number]>): number => {
  let sum = 0
  for (const [, count] of bins) sum += count
  return sum
}

/** The bin in which the part `quantile` of all requests is reached; undefined without requests. */
export function binAt(bins: Bins, quantile: number): number | undefined {
  const wanted = quantile * totalOf(bins)
  let seen = 0
  for (const [bin, count] of [...bins].toSorted(([one], [other]) => one - other)) {
    seen += count
    if (count > 0 && seen >= wanted) return bin
  }
  return undefined
}

/** Both together. */
export function merged(one: Bins, other: Bins): Bins {
  const counts = new Map(one)
  for (const [bin, count] of other) counts.set(bin, (counts.get(bin) ?? 0) + count)
  return counts
}
