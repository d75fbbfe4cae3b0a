import { member } from '../../json/json.ts'

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

/** The `errorType` of an answer of Prometheus if it is one of its words. Nothing else of it may reach an object. */
export const errorTypeIn = (json: unknown): string | undefined =>
  ERROR_TYPES.find((known) => known === member(json, 'errorType'))
