import type { Dispatcher } from 'undici'
import type { ProviderType } from '../../../common/analysis/kinds/provider.ts'
import { errorTypeIn } from '../../../common/analysis/query/error-types.ts'
import type { Failed, ProviderReply } from '../../../common/analysis/query/window-query.ts'
import { parseJson } from '../../../common/json/json.ts'
import { isDeeperThan } from '../../../common/json/nesting.ts'
import type { Clock } from '../../../common/program/clock.ts'
import { RequestRefused } from './failures.ts'
import { retryAfterMs } from './retry-after.ts'

/** How deep the JSON of an answer may be. */
const MAX_DEPTH = 32

interface Reading {
  readonly type: ProviderType
  readonly clock: Clock
}

type Response = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>

/**
 * What `response` says: JSON, or that the provider failed. A redirect is a failure. The body must be limited already.
 * @throws RequestRefused for a body that is not read; what reading the body throws
 */
export async function replyOf(response: Response, reading: Reading): Promise<ProviderReply> {
  const { statusCode, body } = response
  if (statusCode < 200 || statusCode > 299) return failureOf(response, reading)
  if (!isPlain(response)) {
    discard(body)
    throw new RequestRefused('answer is compressed')
  }
  return { is: 'json', json: await jsonIn(body) }
}

async function failureOf(response: Response, { type, clock }: Reading): Promise<Failed> {
  const { statusCode, headers, body } = response
  const afterMs = retryAfterMs(headers['retry-after'], clock())
  const errorType = type === 'Prometheus' && isPlain(response) ? await errorTypeOf(body) : undefined
  discard(body)
  return {
    is: 'failed',
    message: errorType === undefined ? `${statusCode}` : `${statusCode} ${errorType}`,
    ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }),
  }
}

/** The word of Prometheus for its error; undefined if the body cannot be read, because the status is enough. */
const errorTypeOf = (body: Response['body']): Promise<string | undefined> =>
  jsonIn(body).then(errorTypeIn, () => undefined)

/** @throws RequestRefused if there is no JSON in `body`, or if it is too deep; what reading throws */
async function jsonIn(body: Response['body']): Promise<unknown> {
  const bytes = new Uint8Array(await body.arrayBuffer())
  if (isDeeperThan(MAX_DEPTH, bytes)) throw new RequestRefused(`answer nested deeper than ${MAX_DEPTH} levels`)
  const json = parseJson(new TextDecoder().decode(bytes))
  if (json === undefined) throw new RequestRefused('answer is not JSON')
  return json
}

const isPlain = ({ headers }: Response): boolean =>
  [headers['content-encoding'] ?? 'identity'].flat().every((coding) => coding.toLowerCase() === 'identity')

/** Closes the connection instead of reading the rest. */
function discard(body: Response['body']): void {
  body.on('error', () => undefined) // it ends early
  body.destroy()
}
