import type { ProviderReply } from '../../../../common/analysis/query/window-query.ts'
import { WINDOW } from './window-queries.ts'

/** JSON as a provider sends it. */
export const jsonReply = (json: unknown): ProviderReply => ({ is: 'json', json })

/** The points of a series at the edges; undefined: it has none there. */
export const points = (start: unknown, end: unknown): readonly unknown[] => [
  ...(start === undefined ? [] : [[WINDOW.start / 1_000, start]]),
  ...(end === undefined ? [] : [[WINDOW.end / 1_000, end]]),
]

/** A series of `namespace` shop as it is in an answer. */
export const seriesItem = (
  name: string,
  pod: string,
  values: readonly [start: unknown, end: unknown],
  labels: Readonly<Record<string, unknown>> = {},
) => ({ metric: { __name__: name, namespace: 'shop', pod, ...labels }, values: points(...values) })

/** A native histogram as it is in an answer. */
export const histogramItem = (
  name: string,
  pod: string,
  histograms: readonly [start: unknown, end: unknown],
  labels: Readonly<Record<string, unknown>> = {},
) => ({ metric: { __name__: name, namespace: 'shop', pod, ...labels }, histograms: points(...histograms) })

/** The answer to a query of a range. */
export const matrix = (...result: readonly unknown[]): ProviderReply =>
  jsonReply({ status: 'success', data: { resultType: 'matrix', result } })

/** The answer to a query of one moment. */
export const instant = (resultType: string, result: unknown): ProviderReply =>
  jsonReply({ status: 'success', data: { resultType, result } })
