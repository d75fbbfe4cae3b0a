import { at, isObject, member } from '../../json/json.ts'
import { KeptLabels, labelIn, MAX_CHARACTERS, MAX_LABELS, MAX_NAMES, type UnreadLabels } from '../series-labels.ts'
import { errorTypeIn, partialAnswer } from './prometheus-errors.ts'
import type { SeriesLabels } from './promql.ts'
import { type Failed, failed, type LongList, type ProviderReply, type TimeWindow } from './window-query.ts'

/** What a series was at the two edges of a window. Absent: it had no value there that was younger than 5 minutes. */
export interface Edges<T> {
  readonly start?: T
  readonly end?: T
}

/** A series of Prometheus in a window. Its numbers have not been parsed yet. */
export interface PrometheusSeries {
  /** the name of the metric */
  readonly name: string
  readonly pod: string
  /** all labels but the name; one hash may stand for those that nobody reads */
  readonly labels: Readonly<Record<string, string>>
  /** of the labels for which one hash stands: their names, each with a hash of name and value */
  readonly unread?: UnreadLabels
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
  /** a further label that is read */
  readonly stratifyBy?: string | undefined
  /** how a native histogram is kept; default: as it is */
  readonly histogram?: (value: object) => object
}

/** Where the series are in an answer. */
const RESULT: readonly string[] = ['data', 'result']

const MALFORMED = failed('the answer is not in the format of Prometheus')
const OTHER_TIMES = failed(
  'the answer is of other times than were asked for; the address of the provider must not align queries with their step',
)
const REPEATED = failed('the answer has a series twice')
const OTHERS = failed('the answer has series that were not asked for')
const NOT_ONE = failed('the query did not give one number')
const NO_NUMBER = failed('the query gave NaN or no finite number')

/** The `data` of a complete answer. */
function dataOf(reply: ProviderReply): { readonly is: 'complete'; readonly data: unknown } | Failed {
  if (reply.is === 'failed') return reply
  const { json } = reply
  if (member(json, 'status') === 'error') {
    const type = errorTypeIn(json)
    return failed(type === undefined ? 'error' : `error ${type}`)
  }
  if (member(json, 'status') !== 'success') return MALFORMED
  return partialAnswer(json) ?? { is: 'complete', data: member(json, 'data') }
}

/** The most series that are kept of the answers about one arm. */
const MAX_SERIES = 20_000
/** The most bytes of a series. The longest are native histograms: such a one has 2,000 buckets at each edge. */
const MAX_BYTES = 256 * 1_024

const FEWER = 'choose fewer by prometheus.matchers'
const TOO_MANY = failed(`the answers about one version have more than ${MAX_SERIES} series; ${FEWER}`)
const TOO_LONG = failed(`the answer has a series of more than ${MAX_BYTES / 1_024} KiB; ${FEWER}`)
const TOO_MUCH = {
  long: failed(`a series has more than ${MAX_LABELS} labels or ${MAX_CHARACTERS} characters in them; ${FEWER}`),
  various: failed(`the series of the answer have labels of more than ${MAX_NAMES} names; ${FEWER}`),
}

/** How many more series may be kept. The answers about one arm share it. */
export class SeriesPlaces {
  left = MAX_SERIES
}

/** Takes the series of one answer, until one is of no use. Keeps of each only what is read later. */
export class SeriesReader implements LongList {
  readonly path = RESULT
  readonly maxBytes = MAX_BYTES
  readonly remedy = FEWER
  readonly #asked: RequestedSeries
  readonly #places: SeriesPlaces
  readonly #pods: ReadonlySet<string>
  readonly #labels: KeptLabels
  readonly #series = new Map<string, PrometheusSeries>()
  #failure: Failed | undefined

  constructor(asked: RequestedSeries, places = new SeriesPlaces()) {
    const { labels, stratifyBy = [] } = asked
    this.#asked = asked
    this.#places = places
    this.#pods = new Set(asked.pods)
    this.#labels = new KeptLabels([labels.podLabel, labels.namespaceLabel, stratifyBy].flat())
  }

  readonly take = (item: unknown): boolean => {
    this.#failure ??= this.#failureOf(item)
    return this.#failure === undefined
  }

  /** All that were taken, or why they are of no use. */
  get taken(): { readonly is: 'series'; readonly series: readonly PrometheusSeries[] } | Failed {
    return this.#failure ?? { is: 'series', series: [...this.#series.values()] }
  }

  /** Why `item` is of no use, unless it is kept. */
  #failureOf(item: unknown): Failed | undefined {
    if (item === undefined) return TOO_LONG
    const { window, namespace, labels: names, histogram = (value: object) => value } = this.#asked
    const metric = member(item, 'metric')
    const kept = isObject(metric) ? this.#labels.of(metric) : MALFORMED
    const values = edgesOf(member(item, 'values'), window, (value) =>
      typeof value === 'string' ? short(value) : undefined,
    )
    const histograms = edgesOf(member(item, 'histograms'), window, (value) =>
      isObject(value) ? histogram(value) : undefined,
    )
    if (kept.is === 'failed' || kept.is === 'malformed' || !values || !histograms)
      return hasOtherTimes(item, window) ? OTHER_TIMES : MALFORMED
    if (kept.is !== 'kept') return TOO_MUCH[kept.is]
    const { name, labels, unread } = kept
    const pod = labelIn(labels, names.podLabel) ?? ''
    if (!this.#pods.has(pod) || labelIn(labels, names.namespaceLabel) !== namespace) return OTHERS
    const one = { name, pod, labels, values, histograms, ...(unread ? { unread } : {}) }
    const identity = this.#labels.identityOf(one)
    if (this.#series.has(identity)) return REPEATED
    if (this.#places.left === 0) return TOO_MANY
    this.#places.left -= 1
    this.#series.set(identity, one)
    return undefined
  }
}

/**
 * All series in the answer to a query of a range that has only the two edges of a window, or why there are none.
 * `reader`: has those that were taken while the answer arrived.
 */
export function seriesIn(
  reply: ProviderReply,
  asked: RequestedSeries,
  reader = new SeriesReader(asked),
): SeriesReader['taken'] {
  const answer = dataOf(reply)
  if (answer.is === 'failed') return answer
  const result = at(answer.data, 'result')
  if (at(answer.data, 'resultType') !== 'matrix' || !Array.isArray(result)) return MALFORMED
  result.every(reader.take)
  return reader.taken
}

/** The most characters that a number needs. */
const MAX_DIGITS = 24

/** A number as it is, or in fewer characters. */
const short = (number: string): string => (number.length <= MAX_DIGITS ? number : `${numberIn(number) ?? Number.NaN}`)

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

/** The most items of a result that are kept of the answer to a query that must give one number. */
const MAX_ITEMS = 3

/** Takes the first items of a result: as many as it takes to see that there is more than one number. */
export class ResultReader implements LongList {
  readonly path = RESULT
  readonly maxBytes = MAX_BYTES
  readonly items: unknown[] = []
  readonly take = (item: unknown): boolean => this.items.push(item) < MAX_ITEMS
}

/**
 * The one number that a query gave, that it gave nothing, or why it gave no number. `items`: those of the result that
 * were taken while the answer arrived.
 */
export function numberInResult(
  reply: ProviderReply,
  items: readonly unknown[] = [],
): { readonly is: 'value'; readonly value: number } | { readonly is: 'nothing' } | Failed {
  const answer = dataOf(reply)
  if (answer.is === 'failed') return answer
  const [type, others] = [at(answer.data, 'resultType'), at(answer.data, 'result')]
  if ((type !== 'scalar' && type !== 'vector') || !Array.isArray(others)) return NOT_ONE
  const result = [...items, ...others]
  if (type === 'vector' && result.length === 0) return { is: 'nothing' }
  if (type === 'vector' && result.length > 1) return NOT_ONE
  const point = type === 'scalar' ? result : member(result[0], 'value')
  const value = Array.isArray(point) && point.length === 2 ? numberIn(point[1]) : undefined
  return value === undefined ? NO_NUMBER : { is: 'value', value }
}
