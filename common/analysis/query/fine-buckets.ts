import type { FineCounts } from '../window-data.ts'
import { byPod, type Counted, type Counter, countedIn, partlyResetPods, seriesStarts } from './delta.ts'
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

/** A histogram of a pod in the window. */
interface Histogram {
  readonly pod: string
  /** the growth of each bucket; `ZERO` is for what is not longer than the threshold */
  readonly grown: ReadonlyMap<number, number>
  /** restarted if a bucket did, and had counted something if a bucket had */
  readonly all: Counted<number>
}

const ZERO = Number.NEGATIVE_INFINITY

/**
 * How many requests of each pod are in each bucket. The widths of buckets may differ between histograms, and between
 * the edges of one: all are joined to the widest. While no histogram has counted anything, the widths are not known and
 * there is nothing to compare. A pod in which only a part restarted is not counted. `series`: native histograms of each
 * arm. The last argument is what `fineHistograms` gave for them.
 */
export function fineAnswer(
  series: PerArm<readonly PrometheusSeries[]>,
  { arms }: Pick<WindowQuery, 'arms'>,
  { treatment, control } = perArm((arm) => fineHistograms(series[arm])),
): WindowAnswer {
  if (!treatment || !control) return NOT_DURATIONS
  const layout = layoutOf([...treatment, ...control].flatMap(({ start, end }) => [start, end]))
  const grownIn = ({ pod, start, end }: Counter<NativeHistogram>): Histogram => {
    const [before, after] = layout ? [laidOut(start, layout), laidOut(end, layout)] : [new Map(), new Map()]
    return { pod, ...growthBetween(before, after, pod) }
  }
  const histograms = { treatment: treatment.map(grownIn), control: control.map(grownIn) }
  const partlyReset = partlyResetPods(ARMS.flatMap((arm) => histograms[arm].map(({ all }) => [all])))
  const counted = perArm((arm) => byPod(histograms[arm].filter(({ pod }) => !partlyReset.has(pod))))
  const failure = tooFewPods({ series, counted, partlyReset }, arms)
  if (failure) return failure
  if (!layout) return { is: 'silent', arms: ARMS }
  return {
    is: 'data',
    data: { is: 'fine', ratio: ratioOf(layout.schema), ...perArm((arm) => [...counted[arm]].map(countsOf)) },
  }
}

const EMPTY: NativeHistogram = { zero: 0, threshold: 0, buckets: [] }

/** The native histograms of an arm at both edges; undefined if one is not of durations. */
export const fineHistograms = (series: readonly PrometheusSeries[]) =>
  countedIn(
    series,
    { edgesOf: ({ histograms }) => histograms, read: nativeHistogramIn, nothing: EMPTY },
    seriesStarts(series),
  )

function layoutOf(histograms: readonly NativeHistogram[]): Layout | undefined {
  const schemas = histograms.flatMap(({ schema }) => schema ?? [])
  if (schemas.length === 0) return undefined
  const most = (numbers: readonly number[]) => numbers.reduce((one, other) => Math.max(one, other))
  return {
    schema: -most(schemas.map((schema) => -schema)),
    threshold: most(histograms.map(({ threshold }) => threshold)),
  }
}

function countsOf([pod, histograms]: readonly [string, readonly Histogram[]]): FineCounts {
  const counts = new Map<number, number>()
  for (const { grown } of histograms) for (const [k, growth] of grown) counts.set(k, (counts.get(k) ?? 0) + growth)
  const filledOnes = [...counts].filter(([k, count]) => k !== ZERO && count > 0)
  return { pod, zero: counts.get(ZERO) ?? 0, buckets: filledOnes.toSorted(([one], [other]) => one - other) }
}

type Counts = ReadonlyMap<number, number>

/** What `growthOf` says of all buckets of a histogram. One that is missing at an edge was empty then. */
function growthBetween(before: Counts, after: Counts, pod: string): Omit<Histogram, 'pod'> {
  const isNew = before.entries().some(([k, count]) => (after.get(k) ?? 0) < count)
  const had = before.values().some((count) => count > 0) ? 1 : 0
  if (isNew) return { grown: after, all: { pod, start: 1, end: 0 } }
  const grown = new Map(after.entries().map(([k, count]) => [k, count - (before.get(k) ?? 0)]))
  return { grown, all: { pod, start: had, end: had } }
}

/**
 * The counts of a histogram in other buckets. A bucket that begins below the threshold is zero as a whole: a histogram
 * may raise its threshold in the window, and what was in the bucket must not seem to be gone.
 */
function laidOut({ zero, schema, buckets }: NativeHistogram, layout: Layout): Counts {
  const counts = new Map([[ZERO, zero]])
  const [ratio, threshold] = [ratioOf(layout.schema), layout.threshold * (1 - ROUNDING)]
  for (const [each, count] of buckets) {
    const k = joinedBucket(each, schema ?? layout.schema, layout.schema)
    const place = threshold > 0 && ratio ** (k - 1) < threshold ? ZERO : k
    counts.set(place, (counts.get(place) ?? 0) + count)
  }
  return counts
}

/** How far a threshold may be from the boundary of a bucket to count as this boundary. */
const ROUNDING = 1e-9
