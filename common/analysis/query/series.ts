import { at, isObject, member } from '../../json/json.ts'
import { errorTypeIn } from './error-types.ts'
import type { SeriesLabels } from './promql.ts'
import { type Failed, failed, type ProviderReply, type TimeWindow } from './window-query.ts'

/** What a series was at the two edges of a window. Absent: it had no value there that was younger than 5 minutes. */
export interface Edges<T> {
  readonly start?: T
  readonly end?: T
}

/** A series of Prometheus in a window, as it came: its numbers have not been parsed yet. */
export interface PrometheusSeries {
  /** the name of the metric */
  readonly name: string
  readonly pod: string
  /** all labels but the name */
  readonly labels: Readonly<Record<string, string>>
  /** decimal numbers, `NaN`, `+Inf` or `-Inf` */
  readonly values: Edges<string>
  /** native histograms */
  readonly histograms: Edges<unknown>
}

/** Whether a series had a value at the start of the window. */
export const hasStart = ({ values, histograms }: PrometheusSeries): boolean =>
  (values.start ?? histograms.start) !== undefined

/** What a series has counted at an edge, a native histogram in all its buckets. Undefined: nothing that can be read. */
export const countAt = ({ values, histograms }: PrometheusSeries, edge: keyof Edges<unknown>): number | undefined =>
  numberIn(values[edge] ?? member(histograms[edge], 'count'))

/** The series that were asked for. An answer with other series is refused: its server misunderstood the request. */
interface RequestedSeries {
  readonly window: TimeWindow
  readonly namespace: string
  readonly pods: readonly string[]
  readonly labels: SeriesLabels
}

const MALFORMED = failed('the answer is not in the format of Prometheus')
const OTHER_TIMES = failed(
  'the answer is of other times than were asked for; the address of the provider must not align queries with their step',
)
const PARTIAL = failed('the answer is partial: it has warnings')
const REPEATED = failed('the answer has a series twice')
const OTHERS = failed('the answer has series that were not asked for')
const NOT_ONE = failed('the query did not give one number')
const NO_NUMBER = failed('the query gave NaN or no finite number')

/** The `data` of a complete answer. Thanos and Mimir name in `warnings` the servers that they could not ask. */
function dataOf(reply: ProviderReply): { readonly is: 'complete'; readonly data: unknown } | Failed {
  if (reply.is === 'failed') return reply
  const { json } = reply
  if (member(json, 'status') === 'error') {
    const type = errorTypeIn(json)
    return failed(type === undefined ? 'error' : `error ${type}`)
  }
  if (member(json, 'status') !== 'success') return MALFORMED
  const warnings = member(json, 'warnings') ?? []
  if (!Array.isArray(warnings) || warnings.length > 0) return PARTIAL
  return { is: 'complete', data: member(json, 'data') }
}

/** All series in the answer to a query of a range that has only the two edges of a window, or why there are none. */
export function seriesIn(
  reply: ProviderReply,
  asked: RequestedSeries,
): { readonly is: 'series'; readonly series: readonly PrometheusSeries[] } | Failed {
  const answer = dataOf(reply)
  if (answer.is === 'failed') return answer
  const result = at(answer.data, 'result')
  if (at(answer.data, 'resultType') !== 'matrix' || !Array.isArray(result)) return MALFORMED
  const pods = new Set(asked.pods)
  const seen = new Set<string>()
  const series: PrometheusSeries[] = []
  for (const each of result) {
    const one = seriesOf(each, asked)
    if (!one) return hasOtherTimes(each, asked.window) ? OTHER_TIMES : MALFORMED
    if (!pods.has(one.pod) || one.labels[asked.labels.namespaceLabel] !== asked.namespace) return OTHERS
    const key = identityOf(one)
    if (seen.has(key)) return REPEATED
    seen.add(key)
    series.push(one)
  }
  return { is: 'series', series }
}

/** Equal for the same labels, in any order, and different for others. */
export const labelsKey = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Equal for the same series, also in different answers. */
export const identityOf = ({ name, labels }: PrometheusSeries): string => `${name}${labelsKey(labels)}`

function seriesOf(item: unknown, { window, labels: { podLabel } }: RequestedSeries): PrometheusSeries | undefined {
  const all = member(item, 'metric')
  if (!isObject(all) || !Object.values(all).every((value) => typeof value === 'string')) return undefined
  const { __name__: name = '', ...labels } = all as Readonly<Record<string, string>>
  const values = edgesOf(member(item, 'values'), window, (value) => (typeof value === 'string' ? value : undefined))
  const histograms = edgesOf(member(item, 'histograms'), window, (value) => (isObject(value) ? value : undefined))
  if (!values || !histograms) return undefined
  return { name, pod: labels[podLabel] ?? '', labels, values, histograms }
}

/**
 * Whether a series has a point at a time that is no edge of the window. Frontends of Thanos and Mimir can move the
 * times of a query to multiples of its step.
 */
const hasOtherTimes = (item: unknown, { start, end }: TimeWindow): boolean =>
  [member(item, 'values'), member(item, 'histograms')]
    .flatMap((points) => (Array.isArray(points) ? points.map(timeOf) : []))
    .some((ms) => ms !== undefined && ms !== start && ms !== end)

/** When a point is, in milliseconds since 1970; undefined if it has no time. */
function timeOf(point: unknown): number | undefined {
  const [time] = Array.isArray(point) ? point : []
  return typeof time === 'number' ? Math.round(time * 1_000) : undefined
}

/** Points at the edges of a window; undefined if one is elsewhere, there twice, or malformed. */
function edgesOf<T>(points: unknown, { start, end }: TimeWindow, read: (value: unknown) => T | undefined) {
  const edges: { start?: T; end?: T } = {}
  if (points === undefined) return edges
  if (!Array.isArray(points)) return undefined
  for (const point of points) {
    const [, given] = Array.isArray(point) ? point : []
    const ms = timeOf(point)
    const edge = ms === start ? 'start' : ms === end ? 'end' : undefined
    const value = read(given)
    if (edge === undefined || value === undefined || edges[edge] !== undefined) return undefined
    edges[edge] = value
  }
  return edges
}

const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** A finite number as Prometheus writes it; undefined for anything else, `NaN` and `+Inf` among them. */
export function numberIn(text: unknown): number | undefined {
  const number = typeof text === 'string' && DECIMAL.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** A count: whole, not negative, and so small that it and its differences are exact. Undefined for anything else. */
export function countIn(text: unknown): number | undefined {
  const number = numberIn(text)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The one number that a query gave, that it gave nothing, or why it gave no number. */
export function numberInResult(
  reply: ProviderReply,
): { readonly is: 'value'; readonly value: number } | { readonly is: 'nothing' } | Failed {
  const answer = dataOf(reply)
  if (answer.is === 'failed') return answer
  const [type, result] = [at(answer.data, 'resultType'), at(answer.data, 'result')]
  if ((type !== 'scalar' && type !== 'vector') || !Array.isArray(result)) return NOT_ONE
  if (type === 'vector' && result.length === 0) return { is: 'nothing' }
  if (type === 'vector' && result.length > 1) return NOT_ONE
  const point = type === 'scalar' ? result : member(result[0], 'value')
  const value = Array.isArray(point) && point.length === 2 ? numberIn(point[1]) : undefined
  return value === undefined ? NO_NUMBER : { is: 'value', value }
}
