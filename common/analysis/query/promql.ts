import { MATCHER_PATTERN } from '../../api/analysis/patterns.ts'
import type { CompleteProvider } from '../kinds/provider.ts'
import { filled } from '../placeholders.ts'
import type { Arm } from '../window-data.ts'
import { placeholderValues, podPattern } from './placeholder-values.ts'
import type { ProviderRequest, WindowQuery } from './window-query.ts'

/** The labels by which the series of a Prometheus name a pod and its namespace. */
export type SeriesLabels = Pick<CompleteProvider, 'podLabel' | 'namespaceLabel'>

const MATCHER = new RegExp(MATCHER_PATTERN)

/**
 * PromQL reads a text in double quotes as JSON does. But it refuses half of a surrogate pair, and also the character
 * that UTF-8 has instead, unless that is escaped.
 */
const quoted = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\ufffd', '\\ufffd')

/** A matcher whose value is quoted by us, so that no value can end the matcher. */
function rewritten(matcher: string): string {
  const [, label, operator, value] = MATCHER.exec(matcher) ?? []
  if (label === undefined || operator === undefined || value === undefined) throw new Error(`not a matcher: ${matcher}`)
  return `${label}${operator}${quoted(JSON.parse(`"${value}"`))}`
}

/** The matchers of a selector: the pods of an arm in their namespace, then those of the metric. */
function matchersFor(query: WindowQuery, arm: Arm, labels: SeriesLabels, matchers: readonly string[]): string {
  const values = placeholderValues(query, arm, podPattern)
  return [
    `${labels.namespaceLabel}=${quoted(query.namespace)}`,
    `${labels.podLabel}=~${quoted(podPattern(query.arms[arm].pods))}`,
    ...matchers.map((matcher) => rewritten(filled(matcher, 'PromQL', values))),
  ].join(',')
}

const form = (path: string, fields: Readonly<Record<string, string>>): ProviderRequest => ({
  method: 'POST',
  path,
  body: { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() },
})

const seconds = (ms: number): string => String(ms / 1_000)

/**
 * Asks for series at both edges of a window and at no other time: the step is as long as the window. It has a unit,
 * because Prometheus truncates a step in plain seconds to milliseconds, and may then miss the end.
 */
const atBothEdges = (selector: string, { window: { start, end } }: WindowQuery): ProviderRequest =>
  form('/api/v1/query_range', {
    query: selector,
    start: seconds(start),
    end: seconds(end),
    step: `${end - start}ms`,
  })

/**
 * Asks for the histograms of one arm. One selector covers both sorts: the native ones, which have the name itself, and
 * the buckets, which have it with `_bucket`. Which sort a program exposes is not known before, and it may expose both.
 * So one request is enough, and the sort need not be remembered.
 * @throws Error if a matcher is malformed, which admission refuses
 */
export const histogramRequest = (query: WindowQuery, arm: Arm, labels: SeriesLabels): ProviderRequest => {
  const { histogram = '', matchers = [] } = query.metric.prometheus ?? {}
  const names = quoted(`${histogram}|${histogram}_bucket`)
  return atBothEdges(`{__name__=~${names},${matchersFor(query, arm, labels, matchers)}}`, query)
}

/** Asks for the counters of all that could be an event, of one arm. @throws Error as `histogramRequest` */
export const totalRequest = (query: WindowQuery, arm: Arm, labels: SeriesLabels): ProviderRequest => {
  const { total = '', matchers = [] } = query.metric.prometheus ?? {}
  return atBothEdges(`${total}{${matchersFor(query, arm, labels, matchers)}}`, query)
}

/** Asks for the counters of the events of one arm. @throws Error as `histogramRequest` */
export const eventsRequest = (query: WindowQuery, arm: Arm, labels: SeriesLabels): ProviderRequest => {
  const { events = '', matchers = [], eventMatchers = [] } = query.metric.prometheus ?? {}
  return atBothEdges(`${events}{${matchersFor(query, arm, labels, [...matchers, ...eventMatchers])}}`, query)
}

/** Asks what the query of the metric gives for one arm at the end of the window. */
export const valueRequest = (query: WindowQuery, arm: Arm): ProviderRequest =>
  form('/api/v1/query', {
    query: filled(query.metric.prometheus?.query ?? '', 'PromQL', placeholderValues(query, arm, podPattern)),
    time: seconds(query.window.end),
  })
