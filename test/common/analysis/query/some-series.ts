import type { Edges, PrometheusSeries } from '../../../../common/analysis/query/series.ts'

type Ends<T> = readonly [start: T | undefined, end: T | undefined]

const edges = <T>([start, end]: Ends<T>): Edges<T> => ({
  ...(start === undefined ? {} : { start }),
  ...(end === undefined ? {} : { end }),
})

/** A counter of a pod with its values at the edges of a window. */
export const counter = (
  name: string,
  pod: string,
  [start, end]: Ends<number | string>,
  labels: Readonly<Record<string, string>> = {},
): PrometheusSeries => ({
  name,
  pod,
  labels: { pod, namespace: 'shop', ...labels },
  values: edges<string>([start === undefined ? start : `${start}`, end === undefined ? end : `${end}`]),
  histograms: {},
})

/** Cumulative buckets of a pod, by boundary, each with its values at the edges. */
export const bucketSeries = (
  pod: string,
  buckets: Readonly<Record<string, Ends<number>>>,
  labels: Readonly<Record<string, string>> = {},
): readonly PrometheusSeries[] =>
  Object.entries(buckets).map(([le, ends]) => counter('h_bucket', pod, ends, { le, ...labels }))

/** Buckets of a native histogram as Prometheus sends them. */
export type SentBuckets = readonly (readonly [left: number, right: number, count: number])[]

/** A native histogram of a pod with its buckets at the edges of a window. */
export const native = (
  pod: string,
  [start, end]: Ends<SentBuckets>,
  labels: Readonly<Record<string, string>> = {},
): PrometheusSeries => {
  const sent = (buckets: SentBuckets | undefined) =>
    buckets && {
      count: `${buckets.reduce((sum, [, , count]) => sum + count, 0)}`,
      sum: '0',
      buckets: buckets.map(([left, right, count]) => [left < 0 ? 3 : 0, `${left}`, `${right}`, `${count}`]),
    }
  return {
    name: 'h',
    pod,
    labels: { pod, namespace: 'shop', ...labels },
    values: {},
    histograms: edges<unknown>([sent(start), sent(end)]),
  }
}
