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
 * The native histogram in an answer, which has `[rule, left, right, count]` for each bucket that is not empty.
 * Undefined if it is not of durations: with counts that are not whole, negative times, or buckets that are not
 * exponential, such as custom ones.
 */
export function nativeHistogramIn(value: unknown): NativeHistogram | undefined {
  const given = member(value, 'buckets') ?? []
  if (!isObject(value) || !Array.isArray(given)) return undefined
  const counts = new Map<number, number>()
  let [zero, threshold] = [0, 0]
  let schema: number | undefined
  for (const bucket of given) {
    const read = bucketIn(bucket)
    if (!read) return undefined
    const { left, right, count } = read
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

function bucketIn(bucket: unknown) {
  if (!Array.isArray(bucket) || bucket.length !== 4) return undefined
  const [left, right, count] = [numberIn(bucket[1]), numberIn(bucket[2]), countIn(bucket[3])]
  return left === undefined || right === undefined || count === undefined ? undefined : { left, right, count }
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
