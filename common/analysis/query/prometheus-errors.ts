import { member } from '../../json/json.ts'
import { printable } from '../../text/printable.ts'
import { type Failed, failed } from './window-query.ts'

/** The words by which Prometheus says what went wrong. Source: its documentation of the HTTP API. */
const ERROR_TYPES: readonly string[] = [
  'bad_data',
  'canceled',
  'execution',
  'internal',
  'not_acceptable',
  'not_found',
  'timeout',
  'unavailable',
]

/** The `errorType` of an answer of Prometheus if it is one of its words. Nothing else of an error reaches an object. */
export const errorTypeIn = (json: unknown): string | undefined =>
  ERROR_TYPES.find((known) => known === member(json, 'errorType'))

/**
 * How remarks on a query itself begin, such as that the name of a counter is unusual. They say nothing about the data.
 * Prometheus 2.43 to 2.54 and Thanos have all of them in `warnings`, later versions those that begin with `warning`.
 * Source: util/annotations of Prometheus.
 */
const REMARK = /^PromQL (?:info|warning):/

/**
 * The failure of an answer with warnings that are no remarks on the query: Thanos and Mimir name in them the servers
 * that they could not ask. Undefined without such a warning.
 */
export function partialAnswer(json: unknown): Failed | undefined {
  const warnings = [member(json, 'warnings') ?? []].flat()
  const others = warnings.filter((each) => typeof each !== 'string' || !REMARK.test(each))
  const [first] = others
  if (others.length === 0) return undefined
  const what = typeof first === 'string' && first !== '' ? printable(first) : 'it has warnings'
  const more = others.length > 1 ? ` (and ${others.length - 1} more warnings)` : ''
  return failed(`the answer is partial: ${what}${more}`)
}
