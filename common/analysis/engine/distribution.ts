import { ranksOfBins, ranksOfSorted, type SortedBins } from './ranks.ts'
import { type BetDirection, type Counts, type Ranks, rankBets } from './steps.ts'

/** How many requests are in each bin, or in each bucket, by its number. */
export type Bins = ReadonlyMap<number, number>

/** The requests of a window. For any bound it is known how many requests of each arm took longer. */
export interface Distribution {
  /** all requests of each arm */
  readonly treatment: Bins
  readonly control: Bins
  /** the bound that belongs to the upper end of a bin */
  readonly boundOf: (bin: number) => number
  /** the treatment and the control, whose times are made longer by `margin`; rounded against the bet, if at all */
  readonly ranks: (margin: number, side: BetDirection) => Ranks
  /** requests above `bound`, after the times of the control are made longer by `margin` */
  readonly above: (bound: number, margin: number) => Counts
}

/** The rank bets of a window: that the treatment is worse (1), or not worse (−1), than the margin allows. */
export function betsOnRanks({
  ranks,
}: Pick<Distribution, 'ranks'>): (margin: number, side: BetDirection) => readonly number[] {
  const bets = rankBets(ranks(0, 1))
  return (margin, side) => bets(ranks(margin, side).u, side)
}

/** Bins of times in each doubling. */
const BINS = 8
/** 2^±50 seconds: shorter and longer times count in the outermost bins. */
const OUTERMOST_BIN = 400

/** The distribution of single times in seconds. Bin k is (2^((k−1)/8), 2^(k/8)], and its bound is a time. */
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

/** The bucket of requests that took no time: no margin makes them longer. It is far below all others. */
export const ZERO_BUCKET = -(2 ** 30)

/** How many buckets make one bin. It is about as wide as a bin of samples, so that a state has room for all bins. */
const bucketsOfBin = (ratio: number): number => Math.max(1, Math.floor(Math.LN2 / BINS / Math.log(ratio) + ROUNDING))

/** The ratio of the times of a bin to those of the bin before it. `ratio`: that of the buckets; 0: for samples */
export const ratioOfBins = (ratio: number): number => (ratio === 0 ? 2 ** (1 / BINS) : ratio ** bucketsOfBin(ratio))

/**
 * The distribution of histograms whose buckets grow by `ratio`. The bound of a bin is the number of its last bucket. A
 * margin moves times up by a number of buckets: it is rounded up for a bet on harm, and down for a bet on safety.
 */
export function ofBuckets(treatment: Bins, control: Bins, ratio: number): Distribution {
  const width = bucketsOfBin(ratio)
  const [own, others] = [sorted(treatment), sorted(control)]
  const mover = (margin: number, side: BetDirection) => {
    const exact = Math.log1p(margin) / Math.log(ratio)
    const by = side === 1 ? Math.ceil(exact - ROUNDING) : Math.floor(exact + ROUNDING)
    return (bucket: number) => (bucket === ZERO_BUCKET ? bucket : bucket + by)
  }
  return {
    treatment: joined(treatment, width),
    control: joined(control, width),
    boundOf: (bin) => bin * width,
    ranks: (margin, side) => ranksOfBins(own, others, mover(margin, side)),
    above: (bound, margin) => {
      const moved = mover(margin, 1)
      return {
        events: totalOf(own.filter(([bucket]) => bucket > bound)),
        exposure: totalOf(own),
        controlEvents: totalOf(others.filter(([bucket]) => moved(bucket) > bound)),
        controlExposure: totalOf(others),
      }
    },
  }
}

/** How many buckets that grow by `ratio` are one that grows by `wider`; undefined if that is no whole number. */
export function bucketsIn(wider: number, ratio: number): number | undefined {
  const exact = Math.log(wider) / Math.log(ratio)
  const whole = Math.round(exact)
  return whole >= 1 && Math.abs(exact - whole) < ROUNDING ? whole : undefined
}

/** The wider bucket that contains bucket `k`. Each of them joins `by` buckets. */
export const widerBucket = (k: number, by: number): number => Math.ceil(k / by) + 0 // 0 for -0

/** `bins` of buckets that grow by `ratio`, as bins of wider buckets. Each of these joins `by` buckets. */
export function widerBins(bins: Bins, ratio: number, by: number): Bins {
  const [width, wider] = [bucketsOfBin(ratio), by * bucketsOfBin(ratio ** by)]
  const counts = new Map<number, number>()
  for (const [bin, count] of bins) {
    const place = widerBucket(bin * width, wider)
    counts.set(place, (counts.get(place) ?? 0) + count)
  }
  return counts
}

/** A number that differs from a whole number by less than this counts as whole. */
const ROUNDING = 1e-9

const sorted = (bins: Bins): SortedBins => [...bins].toSorted(([one], [other]) => one - other)

/** Bins that are `width` buckets each. */
function joined(buckets: Bins, width: number): Bins {
  if (width === 1) return buckets
  const counts = new Map<number, number>()
  for (const [bucket, count] of buckets) {
    const bin = Math.ceil(bucket / width)
    counts.set(bin, (counts.get(bin) ?? 0) + count)
  }
  return counts
}

/** How many requests `bins` have. */
export const totalOf = (bins: Iterable<readonly [number, number]>): number => {
  let sum = 0
  for (const [, count] of bins) sum += count
  return sum
}

/** The bin in which the part `quantile` of all requests is reached; undefined without requests. */
export const binAt = (bins: Bins, quantile: number): number | undefined => reached(bins, quantile)?.bin

/**
 * As `binAt`, with the position inside of the bin: 2.5 is the middle of bin 3, and 3 is its upper end. As bins grow by
 * a factor, the difference of two positions is the logarithm of a ratio of times.
 */
export function placeAt(bins: Bins, quantile: number): number | undefined {
  const found = reached(bins, quantile)
  return found && found.bin - 1 + found.part
}

function reached(bins: Bins, quantile: number): { readonly bin: number; readonly part: number } | undefined {
  const wanted = quantile * totalOf(bins)
  let seen = 0
  for (const [bin, count] of sorted(bins)) {
    if (count > 0 && seen + count >= wanted) return { bin, part: (wanted - seen) / count }
    seen += count
  }
  return undefined
}

/** The requests of both together. */
export function merged(one: Bins, other: Bins): Bins {
  const counts = new Map(one)
  for (const [bin, count] of other) counts.set(bin, (counts.get(bin) ?? 0) + count)
  return counts
}
