import { labelIn, processOf } from '../series-labels.ts'
import { countAt, countIn, type Edges, hasStart, type PrometheusSeries } from './series.ts'
import type { Failed } from './window-query.ts'

/** A count of a pod at both edges of a window. */
export interface Counted<T> {
  readonly pod: string
  readonly start: T
  readonly end: T
}

/** As `Counted`, with the series that counts it. */
export type Counter<T = number> = Counted<T> & { readonly of: PrometheusSeries }

/** How the edges of a series are read. */
interface Reading<T> {
  readonly edgesOf: (one: PrometheusSeries) => Edges<unknown>
  /** undefined: it cannot be read */
  readonly read: (value: unknown) => T | undefined
  /** the value of a series that has counted nothing */
  readonly nothing: T
}

/** Whether a series that has no value at the start of a window had counted nothing then. */
export type IsNewSeries = (one: PrometheusSeries) => boolean

/**
 * Which series began in the window, with 0. A new series did if its process had another one of `series` at the start: a
 * program often exposes a series only once it counts something. If the process had none, it is not known whether it was
 * scraped then. If the labels of its series changed in the window, its new series are old ones. `kinds`: a change of
 * labels never moves a series from one of these lists to another.
 */
export function seriesStarts(
  series: readonly PrometheusSeries[],
  kinds: readonly (readonly PrometheusSeries[])[] = [series],
): IsNewSeries {
  let scraped: ReadonlySet<string> | undefined
  return (one) => {
    scraped ??= new Set(series.filter(hasStart).map(processOf)).difference(relabelledAmong(kinds))
    return scraped.has(processOf(one))
  }
}

/**
 * The processes whose series may have got other labels in the window, as by an edit of a ServiceMonitor: the new series
 * of each kind have counted at least half as much as the old ones, and all of them at most twice what was there at the
 * start. Series that began in the window have far less if their process is older: 20 errors after 6,000 requests.
 */
function relabelledAmong(kinds: readonly (readonly PrometheusSeries[])[]): ReadonlySet<string> {
  const byProcess = kinds.map((kind) => Map.groupBy(kind, processOf))
  const isRelabelled = (process: string) => {
    const ofKinds = byProcess.map((kind) => kind.get(process) ?? [])
    const all = ofKinds.flat()
    const atStart = sumOf(all.map((one) => countAt(one, 'start')))
    return countOfNew(all) <= 2 * atStart && ofKinds.every((kind) => 2 * countOfNew(kind) >= countOfOld(kind))
  }
  const withNew = new Set(kinds.flat().filter(isNew).map(processOf))
  return new Set([...withNew].filter(isRelabelled))
}

const isNew = (one: PrometheusSeries): boolean => !hasStart(one)

/** What the new ones of these series have counted. */
const countOfNew = (series: readonly PrometheusSeries[]): number =>
  sumOf(series.filter(isNew).map((one) => countAt(one, 'end')))

/** What the old ones of these series have counted, as far as it is known. */
const countOfOld = (series: readonly PrometheusSeries[]): number =>
  sumOf(series.filter(hasStart).map((one) => countAt(one, 'end') ?? countAt(one, 'start')))

const sumOf = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((sum, count = 0) => sum + count, 0)

/**
 * What those series count of which both edges are known: only of these it is known what happened in between. A series
 * that is born in the window began with `nothing`. Undefined if a value cannot be read, also one of a series with one
 * edge.
 */
export function countedIn<T>(
  series: readonly PrometheusSeries[],
  { edgesOf, read, nothing }: Reading<T>,
  isBorn: IsNewSeries,
): readonly Counter<T>[] | undefined {
  const counters: Counter<T>[] = []
  for (const of of series) {
    const edges = edgesOf(of)
    const [first, end] = [read(edges.start), read(edges.end)]
    if ((first === undefined && edges.start !== undefined) || (end === undefined && edges.end !== undefined))
      return undefined
    const start = first ?? (isBorn(of) ? nothing : undefined)
    if (start !== undefined && end !== undefined) counters.push({ pod: of.pod, start, end, of })
  }
  return counters
}

const NO_COUNT: Failed = { is: 'failed', message: 'the answer has a count that is not a whole number' }

const COUNTS: Reading<number> = { edgesOf: ({ values }) => values, read: countIn, nothing: 0 }

/** The counters of all series of which both edges are known. */
export function countersIn(
  series: readonly PrometheusSeries[],
  isBorn: IsNewSeries,
): { readonly is: 'counters'; readonly counters: readonly Counter[] } | Failed {
  const counters = countedIn(series, COUNTS, isBorn)
  return counters ? { is: 'counters', counters } : NO_COUNT
}

/** Counters that restart together: that of a series, or all of a histogram. */
type Together = readonly Counted<number>[]

const beganAnew = (counters: Together): boolean => counters.some(({ start, end }) => end < start)

/** By how much counters grew in the window. If one has restarted, only its growth since then is known. */
export function growthOf<T extends Counted<number>>(counters: readonly T[]): readonly (readonly [T, number])[] {
  const isNew = beganAnew(counters)
  return counters.map((counter) => [counter, isNew ? counter.end : counter.end - counter.start] as const)
}

/**
 * The pods in which a part of the counters restarted in the window, and the others went on. What the first part counted
 * before is lost, and what the others counted at that time is not, so the window is not a fair share of both. If a
 * process has restarted and a counter is above its former value already, this counter seems to have gone on: its growth
 * is not known.
 */
export function partlyResetPods(all: readonly Together[]): ReadonlySet<string> {
  const podsOf = (some: readonly Together[]) => new Set(some.flat().map(({ pod }) => pod))
  const wentOn = podsOf(all.filter((each) => !beganAnew(each) && each.some(({ start }) => start > 0)))
  return podsOf(all.filter(beganAnew)).intersection(wentOn)
}

/** Items by the pod that they are of. */
export const byPod = <T extends { readonly pod: string }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> =>
  Map.groupBy(items, ({ pod }) => pod)

/** Something that may be of a stratum. */
export interface InStratum {
  readonly stratum?: string
}

/** The stratum of a series: the value of the label `stratifyBy`, which is empty if the series lacks the label. */
export const stratumOf = ({ labels }: PrometheusSeries, stratifyBy: string | undefined): InStratum =>
  stratifyBy === undefined ? {} : { stratum: labelIn(labels, stratifyBy) ?? '' }

/** `items` by their strata, or all together where they have none. */
export const inStrata = <T extends InStratum>(items: readonly T[]): readonly (readonly [InStratum, readonly T[]])[] =>
  [...Map.groupBy(items, ({ stratum }) => stratum)].map(([stratum, each]) => [
    stratum === undefined ? {} : { stratum },
    each,
  ])
