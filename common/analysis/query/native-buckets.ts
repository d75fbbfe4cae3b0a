import { isObject, member } from '../../json/json.ts'
import { countIn, numberIn } from './series.ts'

/**
 * A native histogram of Prometheus at one moment. Bucket k of schema n is (b^(k−1), b^k] with b = 2^(2^−n). Source:
 * https://prometheus.io/docs/specs/native_histograms/
 */
export interface NativeHistogram {
  /** how many values are at most `threshold` away from zero */
  readonly zero: number
  /** 0: no value was so near to zero that the answer has a bucket around zero */
  readonly threshold: number
  /** absent: no bucket has anything */
  readonly schema?: number
  readonly buckets: readonly (readonly [k: number, count: number])[]
}

/** The ratio of the boundaries of each bucket of a schema. */
export const ratioOf = (schema: number): number => 2 ** (2 ** -schema)

/** `number`, but 0 for -0. */
const unsignedZero = (number: number): number => number + 0

/** The number of the bucket of the coarser schema `to` in which bucket `k` of `from` is. */
export const joinedBucket = (k: number, from: number, to: number): number =>
  unsignedZero(Math.ceil(k / 2 ** (from - to)))

/** Schemas of Prometheus with exponential buckets. */
const [COARSEST, FINEST] = [-4, 8]

/** How far the number of a bucket may be from a whole one: boundaries are decimal, and logarithms are rounded. */
const ROUNDING = 1e-6

/**
 * The native histogram in an answer, which has `[rule, left, right, count]` for each bucket that is not empty, or has
 * been packed. Undefined if it is not of durations: with counts that are not whole, negative times, or buckets that are
 * not exponential, such as custom ones.
 */
export function nativeHistogramIn(value: unknown): NativeHistogram | undefined {
  const held = member(value, 'buckets') ?? []
  const given = Array.isArray(held) ? packedBuckets(held) : held
  if (!isObject(value) || !(given instanceof Float64Array)) return undefined
  const counts = new Map<number, number>()
  let [zero, threshold] = [0, 0]
  let schema: number | undefined
  for (let at = 0; at < given.length; at += 3) {
    const { [at]: left = Number.NaN, [at + 1]: right = Number.NaN, [at + 2]: count = Number.NaN } = given
    if (Number.isNaN(left) || Number.isNaN(right) || Number.isNaN(count)) return undefined
    if (left <= 0 && right >= 0) {
      zero += count
      threshold = Math.max(threshold, right)
      continue
    }
    const place = placeOf(left, right)
    if (!place || (schema !== undefined && schema !== place.schema) || counts.has(place.k)) return undefined
    schema = place.schema
    counts.set(place.k, count)
  }
  return { zero, threshold, ...(schema === undefined ? {} : { schema }), buckets: [...counts] }
}

/** What is needed of a native histogram in an answer, in a tenth of the memory. */
export function packedHistogram(value: object): object {
  const [count, buckets] = [numberIn(member(value, 'count')), member(value, 'buckets') ?? []]
  return {
    ...(count === undefined ? {} : { count: `${count}` }),
    buckets: Array.isArray(buckets) ? packedBuckets(buckets) : Number.NaN,
  }
}

/** The left boundary, the right one and the count of each bucket, one behind the other. NaN: it cannot be read. */
function packedBuckets(buckets: readonly unknown[]): Float64Array {
  const packed = new Float64Array(3 * buckets.length).fill(Number.NaN)
  for (const [index, bucket] of buckets.entries())
    if (Array.isArray(bucket) && bucket.length === 4)
      packed.set(
        [numberIn(bucket[1]) ?? Number.NaN, numberIn(bucket[2]) ?? Number.NaN, countIn(bucket[3]) ?? Number.NaN],
        3 * index,
      )
  return packed
}

/** The bucket with these boundaries. */
function placeOf(left: number, right: number): { readonly schema: number; readonly k: number } | undefined {
  if (left <= 0 || right <= left) return undefined
  const [low, high] = [Math.log2(left), Math.log2(right)]
  const schema = unsignedZero(-Math.round(Math.log2(high - low)))
  const k = unsignedZero(Math.round(high * 2 ** schema))
  const isExact = (exponent: number, whole: number) => Math.abs(exponent * 2 ** schema - whole) < ROUNDING
  return schema >= COARSEST && schema <= FINEST && isExact(high, k) && isExact(low, k - 1) ? { schema, k } : undefined
}
