import type { NewRelicQuery } from '../../api/analysis/metric.ts'
import { filled } from '../placeholders.ts'
import type { Arm } from '../window-data.ts'
import { placeholderValues, podList, podPattern } from './placeholder-values.ts'
import type { Failed, ProviderRequest, TimeWindow, WindowQuery } from './window-query.ts'

/** The most bytes of a query. Source: New Relic's introduction to NRQL, "less than 4 KB". */
const MAX_BYTES = 4_095
/** The most queries about one arm. Only long names of applications and paths need more than two. */
const MAX_QUERIES = 8

const NERD_GRAPH = 'query($a:Int!,$q:Nrql!){actor{account(id:$a){nrql(query:$q,timeout:10){results}}}}'

/** Asks for the results of one NRQL query. */
export const nerdGraphRequest = (accountId: number, nrql: string): ProviderRequest => ({
  method: 'POST',
  path: '/graphql',
  body: {
    type: 'application/json',
    text: JSON.stringify({ query: NERD_GRAPH, variables: { a: accountId, q: nrql } }),
  },
})

/** A query about some pods. */
interface PodsQuery {
  readonly nrql: string
  readonly pods: readonly string[]
}

/** Queries that are asked one after the other: each pod is in one of them. */
interface Queries {
  readonly is: 'queries'
  readonly queries: readonly PodsQuery[]
}

/** What is asked about the transactions of an arm. */
export interface Columns {
  /** what stands behind SELECT */
  readonly select: string
  /** what stands at the end */
  readonly ends?: string
}

/** Which transactions are asked about, and the attribute with the name of their pod. */
export type TransactionsQuery = NewRelicQuery & Required<Pick<NewRelicQuery, 'podAttribute'>>

/** `value` as a text of NRQL. */
const quoted = (value: string): string => filled("'{{value}}'", 'NRQL', { value })

/** `SINCE` is inclusive, `UNTIL` is not, so that windows share no transaction. */
const during = ({ start, end }: TimeWindow): string => `SINCE ${Math.round(start)} UNTIL ${Math.round(end)}`

/**
 * The queries about the transactions of an arm. Its pods are shared among them, as a query has a limited length.
 * Where an agent sends only some of its transactions, nothing is extrapolated: evidence is what was seen.
 */
export function transactionQueries(
  { appName = '', testPath, podAttribute }: TransactionsQuery,
  { select, ends = '' }: Columns,
  query: WindowQuery,
  arm: Arm,
): Queries | Failed {
  const values = placeholderValues(query, arm, podList)
  const is = (attribute: string, text: string) => `${attribute} = ${quoted(filled(text, 'Plain', values))}`
  const conditions = [is('appName', appName), ...(testPath === undefined ? [] : [is('request.uri', testPath)])]
  const begins = `SELECT ${select} FROM Transaction WHERE ${conditions.join(' AND ')} AND ${podAttribute} IN (`
  const rest = `) ${during(query.window)}${ends}`
  const nrql = (pods: readonly string[]) => begins + pods.map(quoted).join(', ') + rest
  const lists = sharedOut(query.arms[arm].pods, (pods) => bytesOf(nrql(pods)) <= MAX_BYTES)
  return lists && lists.length <= MAX_QUERIES
    ? { is: 'queries', queries: lists.map((pods) => ({ nrql: nrql(pods), pods })) }
    : TOO_LONG
}

const TOO_LONG: Failed = { is: 'failed', message: 'the query is longer than New Relic allows' }

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** `pods` in as few lists as `fits` allows, in order; undefined if a single pod does not fit. */
function sharedOut(
  pods: readonly string[],
  fits: (list: readonly string[]) => boolean,
): readonly (readonly string[])[] | undefined {
  const lists: (readonly string[])[] = []
  for (const pod of pods) {
    const longer = [...(lists.at(-1) ?? []), pod]
    if (fits(longer)) lists.splice(-1, 1, longer)
    else if (fits([pod])) lists.push([pod])
    else return undefined
  }
  return lists
}

/** Texts in quotes, and comments. */
const QUOTED = /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

/**
 * The query that a user wrote, about one arm, with the times of the window: on a line of their own, as a comment may
 * stand before them. `{{pods}}` is a pattern, as RLIKE takes it.
 */
export function valueQuery(
  nrql: string,
  query: WindowQuery,
  arm: Arm,
): { readonly is: 'query'; readonly nrql: string } | Failed {
  if (/\b(?:since|until)\b/i.test(nrql.replaceAll(QUOTED, ' ')))
    return { is: 'failed', message: 'newRelic.nrql: must have no SINCE and no UNTIL' }
  const text = `${filled(nrql, 'NRQL', placeholderValues(query, arm, podPattern))}\n${during(query.window)}`
  return bytesOf(text) > MAX_BYTES ? TOO_LONG : { is: 'query', nrql: text }
}

/** How many requests took longer than each boundary, pod by pod. */
export const latencyColumns = (boundaries: readonly number[], podAttribute: string): Columns => ({
  select: ['count(*)', ...boundaries.map((seconds, at) => countIf(`duration > ${seconds}`, boundaryColumn(at)))].join(
    ', ',
  ),
  ends: ` FACET ${podAttribute} LIMIT MAX`,
})

/** How many transactions are events, pod by pod. `errors`: the condition for that. */
export const eventColumns = (errors: string, podAttribute: string): Columns => ({
  select: `count(*), ${countIf(`(${errors})`, EVENTS_COLUMN)}`,
  ends: ` FACET ${podAttribute} LIMIT MAX`,
})

/** How long each request took, as a row. */
export const sampleColumns = (podAttribute: string): Columns => ({
  select: `duration, ${podAttribute}`,
  ends: ' LIMIT MAX',
})

/** How many requests there were and how long they took: half of them longer. */
export const MEDIAN_COLUMNS: Columns = { select: 'count(*), percentile(duration, 50)' }

const countIf = (condition: string, name: string): string => `filter(count(*), WHERE ${condition}) AS '${name}'`

/** The name of the column with the requests above a boundary. */
export const boundaryColumn = (index: number): string => `b${index}`
/** The name of the column with the events. */
export const EVENTS_COLUMN = 'events'

/** Of the median. Texts of numbers beyond that have an exponent, and no request is as fast or as slow. */
const [FASTEST_SECONDS, SLOWEST_SECONDS] = [1e-4, 1e4]

/** 12 boundaries in seconds, √2 apart, from a sixth of the median to eight times it. They have four digits. */
export function boundariesAround(medianSeconds: number): readonly number[] {
  const middle = Math.min(SLOWEST_SECONDS, Math.max(FASTEST_SECONDS, medianSeconds))
  return Array.from({ length: 12 }, (_, at) => Number((middle * 2 ** ((at - 5) / 2)).toPrecision(4)))
}
