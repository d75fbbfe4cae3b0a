import type { FineCounts } from '../window-data.ts'
import { byPod, type Counted, type Counter, countedIn, growthOf, partlyResetPods, seriesStarts } from './delta.ts'
import { joinedBucket, type NativeHistogram, nativeHistogramIn, ratioOf } from './native-buckets.ts'
import { ARMS, type PerArm, perArm, tooFewPods } from './per-arm.ts'
import type { PrometheusSeries } from './series.ts'
import type { Failed, WindowAnswer, WindowQuery } from './window-query.ts'

const NOT_DURATIONS: Failed = { is: 'failed', message: 'the native histogram has buckets that are not of durations' }

/** The buckets that the histograms of both arms have in common. */
interface Layout {
  readonly schema: number
  /** times up to this count as zero */
  readonly threshold: number
}

/** A bucket of a pod at both edges. `k`: `ZERO` for what is not longer than the threshold */
interface Bucket extends Counted<number> {
  readonly k: number
}

/** The buckets of a histogram of a pod at both edges. */
interface Histogram {
  readonly pod: string
  readonly buckets: readonly Bucket[]
}

const ZERO = Number.NEGATIVE_INFINITY

/**
 * How many requests of each pod are in each bucket. The widths of buckets may differ between histograms, and between
 * the edges of one: all are joined to the widest. While no histogram has counted anything, the widths are not known and
 * there is nothing to compare. A pod in which only a part restarted is not counted. `series`: native histograms of each
 * arm.
 */
export function fineAnswer(
  series: PerArm<readonly PrometheusSeries[]>,
  { arms }: Pick<WindowQuery, 'arms'>,
): WindowAnswer {
  const [treatment, control] = [histogramsIn(series.treatment), histogramsIn(series.control)]
  if (!treatment || !control) return NOT_DURATIONS
  const layout = layoutOf([...treatment, ...control].flatMap(({ start, end }) => [start, end]))
  const bucketsIn = (histogram: Counter<NativeHistogram>): Histogram => ({
    pod: histogram.pod,
    buckets: layout ? bucketsOf(histogram, layout) : [],
  })
  const all = { treatment: treatment.map(bucketsIn), control: control.map(bucketsIn) }
  const partlyReset = partlyResetPods(ARMS.flatMap((arm) => all[arm].map(({ buckets }) => buckets)))
  const counted = perArm((arm) => byPod(all[arm].filter(({ pod }) => !partlyReset.has(pod))))
  const failure = tooFewPods({ series, counted, partlyReset }, arms)
  if (failure) return failure
  if (!layout) return { is: 'silent', arms: ARMS }
  return {
    is: 'data',
    data: { is: 'fine', ratio: ratioOf(layout.schema), ...perArm((arm) => [...counted[arm]].map(countsOf)) },
  }
}

const EMPTY: NativeHistogram = { zero: 0, threshold: 0, buckets: [] }

const histogramsIn = (series: readonly PrometheusSeries[]) =>
  countedIn(
    series,
    { edgesOf: ({ histograms }) => histograms, read: nativeHistogramIn, nothing: EMPTY },
    seriesStarts(series),
  )

function layoutOf(histograms: readonly NativeHistogram[]): Layout | undefined {
  const schemas = histograms.flatMap(({ schema }) => schema ?? [])
  if (schemas.length === 0) return undefined
  return { schema: Math.min(...schemas), threshold: Math.max(...histograms.map(({ threshold }) => threshold)) }
}

function countsOf([pod, histograms]: readonly [string, readonly Histogram[]]): FineCounts {
  const counts = new Map<number, number>()
  for (const [{ k }, growth] of histograms.flatMap(({ buckets }) => growthOf(buckets)))
    counts.set(k, (counts.get(k) ?? 0) + growth)
  const filledOnes = [...counts].filter(([k, count]) => k !== ZERO && count > 0)
  return { pod, zero: counts.get(ZERO) ?? 0, buckets: filledOnes.toSorted(([one], [other]) => one - other) }
}

/** The buckets of one histogram at both edges. One that is missing at an edge was empty then. */
function bucketsOf({ pod, start, end }: Counted<NativeHistogram>, layout: Layout): readonly Bucket[] {
  const [before, after] = [laidOut(start, layout), laidOut(end, layout)]
  return [...new Set([...before.keys(), ...after.keys()])].map((k) => ({
    pod,
    k,
    start: before.get(k) ?? 0,
    end: after.get(k) ?? 0,
  }))
}

/**
 * The counts of a histogram in other buckets. A bucket that begins below the threshold is zero as a whole: a histogram
 * may raise its threshold in the window, and what was in the bucket must not seem to be gone.
 */
function laidOut({ zero, schema, buckets }: NativeHistogram, layout: Layout): ReadonlyMap<number, number> {
  const counts = new Map([[ZERO, zero]])
  for (const [each, count] of buckets) {
    const k = joinedBucket(each, schema ?? layout.schema, layout.schema)
    const place = ratioOf(layout.schema) ** (k - 1) < layout.threshold * (1 - ROUNDING) ? ZERO : k
    counts.set(place, (counts.get(place) ?? 0) + count)
  }
  return counts
}

/** How far a threshold may be from the boundary of a bucket to count as this boundary. */
const ROUNDING = 1e-9
