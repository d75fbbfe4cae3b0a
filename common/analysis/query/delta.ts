import { countIn, type Edges, type Series } from './series.ts'
import type { Failed } from './window-query.ts'

/** What is counted of a pod, at both edges of a window. */
export interface Counted<T> {
  readonly pod: string
  readonly start: T
  readonly end: T
}

/** The same with the series that counts it. */
export type Counter<T = number> = Counted<T> & { readonly of: Series }

/**
 * What those series count that are there at both edges: only of these it is known what happened in between. Undefined
 * if `read` cannot read a value, also one of a series with one edge.
 */
export function countedIn<T>(
  series: readonly Series[],
  edgesOf: (one: Series) => Edges<unknown>,
  read: (value: unknown) => T | undefined,
): readonly Counter<T>[] | undefined {
  const counters: Counter<T>[] = []
  for (const of of series) {
    const edges = edgesOf(of)
    const [start, end] = [read(edges.start), read(edges.end)]
    if ((start === undefined && edges.start !== undefined) || (end === undefined && edges.end !== undefined))
      return undefined
    if (start !== undefined && end !== undefined) counters.push({ pod: of.pod, start, end, of })
  }
  return counters
}

const NO_COUNT: Failed = { is: 'failed', message: 'the answer has a count that is not a whole number' }

/** The counters of all series that have both edges. */
export function countersIn(
  series: readonly Series[],
): { readonly is: 'counters'; readonly counters: readonly Counter[] } | Failed {
  const counters = countedIn(series, ({ values }) => values, countIn)
  return counters ? { is: 'counters', counters } : NO_COUNT
}

/**
 * The pods that began to count anew within the window: of these one counter at least fell. A container that starts
 * again sets all of its counters to zero, also those that have counted more than before already.
 */
export const resetPods = (counters: readonly Counted<number>[]): ReadonlySet<string> =>
  new Set(counters.flatMap(({ pod, start, end }) => (end < start ? [pod] : [])))

/** By how much a counter grew in the window. Of a pod that was reset only what it counted since then is known. */
export const growthOf = ({ pod, start, end }: Counted<number>, reset: ReadonlySet<string>): number =>
  reset.has(pod) ? end : end - start

/** Items by the pod that they are of. */
export const byPod = <T extends { readonly pod: string }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> =>
  Map.groupBy(items, ({ pod }) => pod)
