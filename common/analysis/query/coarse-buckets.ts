import { histogramOf } from '../series-labels.ts'
import type { CoarseCounts } from '../window-data.ts'
import {
  byPod,
  type Counter,
  countersIn,
  growthOf,
  type InStratum,
  type IsNewSeries,
  inStrata,
  partlyResetPods,
  seriesStarts,
  stratumOf,
} from './delta.ts'
import { type PerArm, perArm, tooFewPods } from './per-arm.ts'
import { hasStart, numberIn, type PrometheusSeries } from './series.ts'
import type { Failed, WindowAnswer, WindowQuery } from './window-query.ts'

/** A histogram of a pod: the growth of each cumulative bucket, by its boundary. `Infinity` has all requests. */
interface Histogram extends InStratum {
  readonly pod: string
  readonly grown: ReadonlyMap<number, number>
}

const NO_BOUNDARY: Failed = { is: 'failed', message: 'the histogram has a bucket without a boundary' }
const NONE_SHARED: Failed = { is: 'failed', message: 'the histograms have no boundary in common' }
const OTHERS_NOW: Failed = { is: 'failed', message: 'the histograms no longer have all boundaries of former windows' }
const NOT_CUMULATIVE: Failed = { is: 'failed', message: 'the histogram has a bucket with more than the one above it' }

/**
 * How many requests of each pod took longer than each boundary that all histograms share. Later windows have the
 * boundaries of the first, or fail. `series`: the buckets of the histograms of each arm.
 * `read`: what `coarseHistograms` gave for them.
 */
export function coarseAnswer(
  series: PerArm<readonly PrometheusSeries[]>,
  { arms, boundaries: former }: Pick<WindowQuery, 'arms' | 'boundaries'>,
  { treatment, control } = perArm((arm) => coarseHistograms(series[arm])),
): WindowAnswer {
  if (treatment.is === 'failed') return treatment
  if (control.is === 'failed') return control
  const both = { treatment: treatment.pods, control: control.pods }
  const partlyReset = treatment.partlyReset.union(control.partlyReset)
  const failure = tooFewPods({ series, counted: both, partlyReset }, arms)
  if (failure) return failure
  const all = [both.treatment, both.control].flatMap((pods) => [...pods.values()].flat())
  const boundaries = former ?? sharedBoundaries(all)
  if (boundaries.length === 0) return NONE_SHARED
  if (!all.every(({ grown }) => boundaries.every((boundary) => grown.has(boundary)))) return OTHERS_NOW
  const counts = perArm((arm) =>
    [...both[arm]].flatMap(([pod, histograms]) =>
      inStrata(histograms).map(([of, each]) => ({ pod, ...of, ...countsOf(each, boundaries) })),
    ),
  )
  if (![...counts.treatment, ...counts.control].every(isCumulative)) return NOT_CUMULATIVE
  return { is: 'data', data: { is: 'coarse', boundaries, ...counts } }
}

/**
 * The histograms of each pod, but not of pods in which only a part restarted. A histogram
 * that lacks the bucket of all requests at an edge is left out: how many took longer than a boundary is not known.
 * `stratifyBy`: the label whose values tell strata apart.
 */
export function coarseHistograms(series: readonly PrometheusSeries[], stratifyBy?: string) {
  const read = countersIn(series, histogramStarts(series))
  if (read.is === 'failed') return read
  if (series.some(({ labels }) => boundaryIn(labels.le) === undefined)) return NO_BOUNDARY
  const groups = [...Map.groupBy(read.counters, ({ of }) => histogramOf(of)).values()]
  const partlyReset = partlyResetPods(groups)
  const histograms = groups.flatMap((buckets) => {
    const grown = new Map(growthOf(buckets).map(([bucket, growth]) => [boundaryOf(bucket), growth]))
    return grown.has(Number.POSITIVE_INFINITY)
      ? buckets.slice(0, 1).map(({ pod, of }): Histogram => ({ pod, grown, ...stratumOf(of, stratifyBy) }))
      : []
  })
  return { is: 'pods', pods: byPod(histograms.filter(({ pod }) => !partlyReset.has(pod))), partlyReset } as const
}

/** The buckets of a histogram begin together: a bucket that is new in an older histogram did not begin with 0. */
function histogramStarts(series: readonly PrometheusSeries[]): IsNewSeries {
  let begun: ReadonlySet<string> | undefined
  const isBorn = seriesStarts(series)
  return (bucket) => {
    begun ??= new Set(series.filter(hasStart).map(histogramOf))
    return isBorn(bucket) && !begun.has(histogramOf(bucket))
  }
}

const boundaryIn = (le: string | undefined): number | undefined =>
  le === '+Inf' ? Number.POSITIVE_INFINITY : numberIn(le)

const boundaryOf = ({ of }: Counter): number => boundaryIn(of.labels.le) ?? Number.NaN

/** No request takes less than 0 s, so a boundary that is not positive says nothing. */
function sharedBoundaries(histograms: readonly Histogram[]): readonly number[] {
  const [first, ...others] = histograms
  return [...(first?.grown.keys() ?? [])]
    .filter((boundary) => boundary > 0 && Number.isFinite(boundary))
    .filter((boundary) => others.every(({ grown }) => grown.has(boundary)))
    .toSorted((one, other) => one - other)
}

/** What all histograms of a pod counted together. */
function countsOf(histograms: readonly Histogram[], boundaries: readonly number[]): CoarseCounts {
  const upTo = (boundary: number) => histograms.reduce((sum, { grown }) => sum + (grown.get(boundary) ?? 0), 0)
  const total = upTo(Number.POSITIVE_INFINITY)
  return { total, exceeding: boundaries.map((boundary) => total - upTo(boundary)) }
}

const isCumulative = ({ total, exceeding }: CoarseCounts): boolean =>
  exceeding.every((count, index) => count >= 0 && count <= (exceeding[index - 1] ?? total))
