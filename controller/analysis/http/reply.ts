import type { Dispatcher } from 'undici'
import type { ProviderType } from '../../../common/analysis/kinds/provider.ts'
import { errorTypeIn } from '../../../common/analysis/query/prometheus-errors.ts'
import type { Failed, LongList, ProviderReply } from '../../../common/analysis/query/window-query.ts'
import { LimitedBytes } from '../../../common/json/bytes.ts'
import { ItemSplitter } from '../../../common/json/item-splitter.ts'
import { parseJson } from '../../../common/json/json.ts'
import { isDeeperThan } from '../../../common/json/nesting.ts'
import type { Clock } from '../../../common/program/clock.ts'
import type { Yielder } from '../../../common/program/yielder.ts'
import { RequestRefused } from './failures.ts'

/** How deep the JSON of an answer may be. */
const MAX_DEPTH = 32
/** How many values the JSON of an answer may have, without its long list. Samples of two versions are 20,000. */
const MAX_VALUES = 50_000
/** The most bytes of an error that are read, to find the word of Prometheus in it. */
const MAX_ERROR_BYTES = 64 * 1_024

const NOT_JSON = 'answer is not JSON'
const TOO_DEEP = `answer nested deeper than ${MAX_DEPTH} levels`
const TOO_MANY = `answer has more than ${MAX_VALUES} values`

interface Reading {
  readonly type: ProviderType
  readonly clock: Clock
  /** answers that are read at the same time share its turns */
  readonly yielder: Yielder
  readonly list?: LongList | undefined
}

interface Response extends Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> {
  readonly body: Body
}

interface Body extends AsyncIterable<Uint8Array> {
  readonly on: (event: 'error', listener: () => void) => unknown
  readonly destroy: () => unknown
}

/**
 * What `response` says: JSON, or that the provider failed. A redirect is a failure. The body must be limited already.
 * The items of its long list are taken while they arrive, so that no turn is long.
 * @throws RequestRefused for a body that is not read; what reading the body throws
 */
export async function replyOf(response: Response, reading: Reading): Promise<ProviderReply> {
  const { statusCode, body } = response
  if (statusCode < 200 || statusCode > 299) return failureOf(response, reading)
  if (!isPlain(response)) {
    discard(body)
    throw new RequestRefused('answer is compressed')
  }
  return { is: 'json', json: await jsonIn(body, reading) }
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
async function errorTypeOf(body: Body): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > MAX_ERROR_BYTES) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  const bytes = Buffer.concat(chunks)
  return isDeeperThan(MAX_DEPTH, bytes) ? undefined : errorTypeIn(parseJson(new TextDecoder().decode(bytes)))
}

/**
 * The JSON in `body`, without the items of its long list.
 * @throws RequestRefused if there is no JSON in it, or if it is too deep or has too many values; what reading throws
 */
async function jsonIn(body: Body, { yielder, list }: Reading): Promise<unknown> {
  const rest = new LimitedBytes()
  const path = (list?.path ?? []).map((key) => [key])
  const splitter = new ItemSplitter({ path, rest, item: () => new LimitedBytes(list?.maxBytes) })
  let [isWanted, refusal]: [boolean, string | undefined] = [true, undefined]
  const take = (item: Uint8Array | undefined): void => {
    refusal = excessOf(splitter)
    const json = refusal === undefined && item ? parseJson(ITEM.decode(item)) : undefined
    if (item && json === undefined) refusal ??= NOT_JSON
    isWanted = refusal === undefined && list?.take(json) === true
  }
  for await (const chunk of body) {
    while (yielder.isLong) await yielder.nextTurn()
    if (refusal !== undefined) continue // it may yet be too long
    for (const { all } of splitter.items(chunk)) {
      while (isWanted && yielder.isLong) await yielder.nextTurn()
      if (isWanted) take(all)
    }
    refusal ??= excessOf(splitter)
  }
  while (yielder.isLong) await yielder.nextTurn()
  const json = refusal === undefined ? parseJson(new TextDecoder().decode(rest.all)) : undefined
  if (json === undefined) throw new RequestRefused(refusal ?? NOT_JSON)
  return json
}

/** A mark of byte order at its begin is no white space in JSON. */
const ITEM = new TextDecoder('utf-8', { ignoreBOM: true })

const excessOf = ({ deepest, values }: Pick<ItemSplitter<never>, 'deepest' | 'values'>): string | undefined =>
  deepest > MAX_DEPTH ? TOO_DEEP : values > MAX_VALUES ? TOO_MANY : undefined

const isPlain = ({ headers }: Response): boolean =>
  [headers['content-encoding'] ?? 'identity'].flat().every((coding) => coding.toLowerCase() === 'identity')

/** Closes the connection instead of reading the rest. */
function discard(body: Body): void {
  body.on('error', () => undefined) // it ends early
  body.destroy()
}

/** The longest wait: a provider is asked again after this time, even if it demands a longer one. */
const LONGEST_MS = 3_600_000

/** The preferred format of dates in HTTP (RFC 9110): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * The milliseconds that a header `Retry-After` asks to wait, at most an hour. Undefined without a header that can be
 * read, and for a time that is over.
 */
export function retryAfterMs(header: string | readonly string[] | undefined, now: Date): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,20}$/.test(header)
    ? 1_000 * Number(header)
    : DATE.test(header)
      ? Date.parse(header) - now.getTime()
      : Number.NaN
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined
}
