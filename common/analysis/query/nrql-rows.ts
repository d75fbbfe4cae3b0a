import { at, isObject, member } from '../../json/json.ts'
import type { CoarseCounts, EventCounts, Samples } from '../window-data.ts'
import { boundaryColumn, EVENTS_COLUMN } from './nrql.ts'
import { type Failed, failed, type LongList } from './window-query.ts'

/** The most rows that New Relic gives: what LIMIT MAX means. Source: its documentation of the LIMIT clause. */
const MAX_ROWS = 5_000

/** The rows of an answer; nothing of them has been checked. */
export interface Rows {
  readonly is: 'rows'
  readonly rows: readonly unknown[]
}

/** The most bytes of a row: it has a dozen numbers and the name of a pod. */
const MAX_BYTES = 16 * 1_024

const LONG_ROW = failed(`the answer of New Relic has a row of more than ${MAX_BYTES / 1_024} KiB`)

/** Takes the rows of an answer of NerdGraph, until there are more than New Relic gives. */
export class RowsReader implements LongList {
  readonly path = ['data', 'actor', 'account', 'nrql', 'results']
  readonly maxBytes = MAX_BYTES
  readonly rows: unknown[] = []
  readonly take = (row: unknown): boolean => this.rows.push(row) <= MAX_ROWS
}

/**
 * The rows in an answer of NerdGraph. It answers 200 for errors too, also beside rows that then are not complete.
 * `reader`: has those that were taken while they arrived.
 */
export function rowsIn(json: unknown, reader = new RowsReader()): Rows | Failed {
  const errors = member(json, 'errors') ?? []
  if (!Array.isArray(errors) || errors.length > 0) return failed('New Relic answered with errors')
  const others = at(json, ...reader.path)
  if (!Array.isArray(others)) return failed('the answer of New Relic has no results')
  others.every(reader.take)
  if (reader.rows.length > MAX_ROWS) return failed(`the answer of New Relic has more than ${MAX_ROWS} rows`)
  return reader.rows.includes(undefined) ? LONG_ROW : { is: 'rows', rows: reader.rows }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isSeconds = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

/** What is read of rows about pods. */
type PerPod<T> = { readonly is: 'pods'; readonly pods: readonly T[] } | Failed

/** Reads rows about `pods`. */
export type ReadRows<T> = (rows: readonly unknown[], pods: readonly string[]) => PerPod<T>

/** The pod of a row of FACET, whose value New Relic gives as a text, or as a list where there are several. */
const facetOf = (row: unknown): unknown => [member(row, 'facet')].flat()[0]

const COUNTS = 'results: must have whole counts of each pod, once'

/**
 * One row for each pod, as FACET gives them. A pod without requests has no row, so it gives nothing. A row about
 * another pod, or a second one about the same, is a failure.
 */
function perPod<T extends { readonly total: number }>(
  rows: readonly unknown[],
  pods: readonly string[],
  read: (row: unknown, total: number) => T | undefined,
): PerPod<T & { readonly pod: string }> {
  const found = new Map<string, T & { readonly pod: string }>()
  const asked = new Set(pods)
  for (const row of rows) {
    const [pod, total] = [facetOf(row), member(row, 'count')]
    if (typeof pod !== 'string' || !asked.has(pod) || found.has(pod) || !isCount(total)) return failed(COUNTS)
    const counts = read(row, total)
    if (!counts) return failed(COUNTS)
    found.set(pod, { pod, ...counts })
  }
  return { is: 'pods', pods: [...found.values()].filter(({ total }) => total > 0) }
}

/** Reads the rows of `latencyColumns` with this number of boundaries. */
export const coarseCounts =
  (boundaries: number): ReadRows<CoarseCounts> =>
  (rows, pods) =>
    perPod(rows, pods, (row, total) => {
      const exceeding = Array.from({ length: boundaries }, (_, index) => member(row, boundaryColumn(index)))
      return areExceeding(exceeding, total) ? { exceeding, total } : undefined
    })

const areExceeding = (counts: readonly unknown[], total: number): counts is readonly number[] =>
  counts.every((count, index) => isCount(count) && count <= ((counts[index - 1] as number | undefined) ?? total))

/** Reads the rows of `eventColumns`. */
export const eventCounts: ReadRows<EventCounts> = (rows, pods) => {
  const read = perPod(rows, pods, (row, total) => {
    const events = member(row, EVENTS_COLUMN)
    return isCount(events) && events <= total ? { events, total } : undefined
  })
  if (read.is === 'failed') return read
  return { is: 'pods', pods: read.pods.map(({ pod, events, total }) => ({ pod, events, exposure: total })) }
}

/** The failure for as many rows as New Relic gives at most: some may be missing. */
export const FULL_PAGE: Failed = failed(`results: has ${MAX_ROWS} rows, so that some may be missing`)

/** Reads the rows of `sampleColumns`. A full page of them is the failure `FULL_PAGE`. */
export const samplesBy =
  (podAttribute: string): ReadRows<Samples> =>
  (rows, pods) => {
    if (rows.length >= MAX_ROWS) return FULL_PAGE
    const values = new Map<string, number[]>()
    const asked = new Set(pods)
    for (const row of rows) {
      const [pod, seconds] = [member(row, podAttribute), member(row, 'duration')]
      if (typeof pod !== 'string' || !asked.has(pod) || !isSeconds(seconds))
        return failed('results: must have the duration and the pod of each transaction')
      const others = values.get(pod)
      if (others) others.push(seconds)
      else values.set(pod, [seconds])
    }
    return { is: 'pods', pods: Array.from(values, ([pod, seconds]) => ({ pod, values: seconds })) }
  }

/** The median in the row of `MEDIAN_COLUMNS`, in seconds; undefined if there were no requests. */
export function medianIn(rows: readonly unknown[]): { readonly is: 'median'; readonly seconds?: number } | Failed {
  const [row] = rows
  const [count, seconds] = [member(row, 'count'), at(row, 'percentile.duration', '50')]
  if (rows.length === 0 || count === 0) return { is: 'median' }
  if (rows.length > 1 || !isCount(count) || !isSeconds(seconds)) return failed('results: must have one median')
  return { is: 'median', seconds }
}

/** The only number of the only row; undefined if New Relic knows none, as of an average of nothing. */
export function numberInRow(rows: readonly unknown[]): { readonly is: 'value'; readonly value?: number } | Failed {
  const [row] = rows
  if (rows.length === 0) return { is: 'value' }
  // a percentile is an object of its own: {"percentile.duration": {"95": 0.2}}
  const [value, ...others] = Object.values(isObject(row) ? row : {}).flatMap((held) =>
    isObject(held) ? Object.values(held) : [held],
  )
  if (rows.length === 1 && others.length === 0) {
    if (value === null) return { is: 'value' }
    if (typeof value === 'number' && Number.isFinite(value)) return { is: 'value', value }
  }
  return failed('results: must be one row with one number')
}
