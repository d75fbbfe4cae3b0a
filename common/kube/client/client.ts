import type { Dispatcher } from 'undici'
import { type KubeObject, UNREAD } from '../../api/object.ts'
import { isObject, parseJson } from '../../json/json.ts'
import { pause, type Random, type Timers } from '../../program/clock.ts'
import { type Deadline, DeadlineExceeded, startDeadline } from '../../program/deadline.ts'
import type { Semaphore } from '../../program/semaphore.ts'
import type { KubeCredentials } from './access.ts'
import { bodyValue, linesOf } from './body.ts'
import { classify } from './classify.ts'
import { isAbsent } from './discovery.ts'
import { KubeError, LoginFailed } from './errors.ts'
import { Exchange } from './exchange.ts'
import { abortUnlessHeld, type Fence } from './fence.ts'
import { callOf, type KubeRequest, type KubeStream, MAX_LIST_BYTES, REQUEST_VERBS, watchOf } from './request.ts'
import { parsePath } from './resources.ts'
import { retryDelay } from './retry.ts'
import { warningsIn } from './warnings.ts'

/** A client of the API server. Objects go in and come out as plain JSON. */
export interface KubeClient {
  /**
   * Resolves to the parsed response. Repeats failed requests within the deadline if that is safe (see `retryDelay`).
   * Items of a list, and the answer to a write, have the mark `UNREAD` if they are too large.
   * @throws KubeError, `unread` for a `get` of an object that is too large; also on an abort: then `unreachable`, with
   * the reason as its cause
   */
  request(request: KubeRequest): Promise<unknown>
  /**
   * Resolves to the lines of a watch when it is open. The iteration throws when the connection breaks.
   * When the caller stops iterating, the connection is closed. Nothing is repeated.
   * @throws KubeError if the watch does not open within 30 s
   */
  stream(stream: KubeStream): Promise<AsyncIterable<string>>
  /** Closes all connections. Requests under way fail. */
  close(): Promise<void>
}

/** One try of a request, for metrics. */
export interface Sent {
  readonly verb: KubeRequest['verb'] | 'watch'
  /** the plural of the resource; `none` for discovery and schemas */
  readonly resource: string
  /** the HTTP status; `error` without an answer */
  readonly code: string
  /**
   * whether the API server itself answered, and not something in front of it: with the object or a `Status`, or by an
   * open watch
   */
  readonly isFromApiServer: boolean
  /** until the whole answer was read, or until a watch was open */
  readonly seconds: number
}

export interface ClientOptions {
  readonly timers: Timers
  /** the name of the program in the audit log: `experiment-controller/0.1.0` */
  readonly userAgent: string
  readonly random: Random
  readonly onSent?: (sent: Sent) => void
  /** decides about each write when its bytes leave; default: every write is sent */
  readonly fence?: Fence
  /** how often a request is tried at most; default: see `retryDelay` */
  readonly maxTries?: number
  /** the time for all tries of a request, whatever itself or its verb says; a watch has it until it is open */
  readonly requestTimeoutMs?: number | undefined
}

/** `client`, for requests of which not more than `limit` allows are sent at once. */
export const limited = (client: Pick<KubeClient, 'request'>, limit: Semaphore): Pick<KubeClient, 'request'> => ({
  request: (request) => client.request({ ...request, limit }),
})

/** A client of the API server that these credentials name. It closes them when it is closed. */
export function clientWith(credentials: KubeCredentials, options: ClientOptions): KubeClient {
  return new HttpKubeClient(credentials, options)
}

class HttpKubeClient implements KubeClient {
  readonly #credentials: KubeCredentials
  readonly #exchange: Exchange
  readonly #options: ClientOptions

  constructor(credentials: KubeCredentials, options: ClientOptions) {
    this.#credentials = credentials
    this.#exchange = new Exchange(credentials, options.userAgent, options.fence)
    this.#options = options
  }

  async request(request: KubeRequest): Promise<unknown> {
    const { verb, deadlineMs = REQUEST_VERBS[verb].deadlineMs } = request
    const { timers, fence, requestTimeoutMs = deadlineMs } = this.#options
    const deadline = startDeadline(timers, requestTimeoutMs, request.signal)
    const release =
      fence && REQUEST_VERBS[verb].method !== 'GET' ? abortUnlessHeld(deadline, fence, timers) : () => undefined
    return this.#untilDone(warningOnce(request), deadline).finally(() => {
      release()
      deadline.end()
    })
  }

  async stream(stream: KubeStream): Promise<AsyncIterable<string>> {
    const { path, signal } = stream
    const watch = { verb: 'watch', path } as const
    const { timers, requestTimeoutMs = REQUEST_VERBS.get.deadlineMs } = this.#options
    const deadline = startDeadline(timers, requestTimeoutMs, signal)
    try {
      const send = () => this.#exchange.send(watchOf(stream), deadline.signal, deadline)
      const response = await this.#measured(watch, isOpened, send)
      if (isOpened(response)) {
        deadline.lift()
        return linesUntil(response.body, deadline)
      }
      const failure = failureOf(response, parseJson(await response.body.text()), watch)
      throw await this.#confirmed(failure, path, deadline.signal)
    } catch (error) {
      const failure = asKubeError(error, deadline.signal, watch)
      deadline.end()
      throw failure
    }
  }

  close(): Promise<void> {
    return this.#credentials.close()
  }

  /** Repeats a request as long as that is useful and safe. */
  async #untilDone(request: KubeRequest, deadline: Deadline): Promise<unknown> {
    const { signal } = deadline
    const { timers, random, maxTries = Number.POSITIVE_INFINITY } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(request, signal, deadline)
      } catch (error) {
        const failure = asKubeError(error, signal, request)
        const isWorthIt = tries < maxTries && !(error instanceof LoginFailed)
        const delayMs = isWorthIt ? retryDelay({ failure, request, tries, random }) : undefined
        if (delayMs === undefined || signal.aborted) throw await this.#confirmed(failure, request.path, signal)
        await pause(timers, delayMs, signal)
        if (signal.aborted) throw failure
      }
    }
  }

  async #once(request: KubeRequest, signal: AbortSignal, deadline?: Deadline): Promise<unknown> {
    const isExpected = ({ statusCode, body }: { readonly statusCode: number; readonly body: unknown }) =>
      statusCode >= 200 && statusCode < 300 && isAnswerTo(request, body)
    const isKnown: typeof isExpected = (of) => isExpected(of) || (isObject(of.body) && of.body.kind === 'Status')
    const send = async () => {
      const { statusCode, headers, body } = await this.#exchange.send(callOf(request), signal, deadline)
      if (request.onWarning) for (const text of warningsIn(headers.warning)) request.onWarning(text)
      return { statusCode, headers, body: await bodyValue(body, readingOf(request)) }
    }
    const sendMeasured = () => this.#measured(request, isKnown, send)
    const response = await (request.limit ? request.limit.run(sendMeasured, signal) : sendMeasured())
    if (!isExpected(response)) throw failureOf(response, response.body, request)
    if (request.verb === 'get' && !request.isNameEnough) throwUnlessRead(response.body, request)
    return response.body
  }

  /** Reports how `send` ended, and how long it took. */
  async #measured<R extends { readonly statusCode: number }>(
    { verb, path }: Pick<Sent, 'verb'> & Pick<KubeRequest, 'path'>,
    isFromApiServer: (response: R) => boolean,
    send: () => Promise<R>,
  ): Promise<R> {
    const { timers, onSent = () => undefined } = this.#options
    const startedAt = timers.now()
    const sent = (of: Pick<Sent, 'code' | 'isFromApiServer'>) => {
      const resource = parsePath(path)?.plural ?? 'none'
      onSent({ verb, resource, ...of, seconds: (timers.now() - startedAt) / 1_000 })
    }
    try {
      const response = await send()
      sent({ code: `${response.statusCode}`, isFromApiServer: isFromApiServer(response) })
      return response
    } catch (error) {
      sent({ code: 'error', isFromApiServer: false })
      throw error
    }
  }

  /** Returns `error` as it is, unless it claims that a kind is absent and discovery lists that kind. */
  async #confirmed(error: KubeError, path: string, signal: AbortSignal): Promise<KubeError> {
    if (error.kind !== 'kindAbsent') return error
    const read = (path: string) => this.#once({ verb: 'get', path }, signal)
    if (await isAbsent(parsePath(path), read).catch(() => false)) return error
    const { attempted = '' } = error
    return new KubeError(
      { kind: 'unreachable', message: 'HTTP 404, although discovery lists this kind', attempted },
      { cause: error },
    )
  }
}

/** `request`, with an `onWarning` to which a second try tells only what is new. */
function warningOnce({ onWarning, ...request }: KubeRequest): KubeRequest {
  if (!onWarning) return request
  const told = new Set<string>()
  const tell = (text: string) => {
    if (!told.has(text)) onWarning(text)
    told.add(text)
  }
  return { ...request, onWarning: tell }
}

/** How the answer to a request is read. What is no resource, such as a schema, no user of a namespace can lengthen. */
const readingOf = ({ verb, path, maxBytes }: KubeRequest) =>
  parsePath(path) === undefined
    ? ({ holds: 'any' } as const)
    : verb === 'list'
      ? ({ holds: 'list', maxBytes: maxBytes ?? MAX_LIST_BYTES } as const)
      : ({ holds: 'object', maxBytes } as const)

/** @throws KubeError `unread` for an object that is too large to be read */
function throwUnlessRead(body: unknown, { verb, path }: Attempt): void {
  const because = isObject(body) ? (body as Partial<KubeObject>)[UNREAD] : undefined
  if (because === undefined) return
  const { kind, metadata } = body as KubeObject
  const name = `${kind.toLowerCase()}/${metadata.name}`
  throw new KubeError({
    kind: 'unread',
    message: `${name} is too large to be read: ${because}`,
    attempted: `${verb} ${path}`,
  })
}

/** A request, as messages name it. */
interface Attempt {
  readonly verb: KubeRequest['verb'] | 'watch'
  readonly path: string
}

const isAnswerTo = ({ expects }: KubeRequest, body: unknown): boolean =>
  isObject(body) && (expects === undefined || body.kind === expects)

const isOpened = ({ statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>): boolean =>
  statusCode === 200 && `${headers['content-type']}`.includes('json')

function failureOf(
  response: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  body: unknown,
  { verb, path }: Attempt,
): KubeError {
  const retryAfter = response.headers['retry-after']
  const answer = { status: response.statusCode, body, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) }
  return new KubeError({ ...classify(answer, parsePath(path)), attempted: `${verb} ${path}` })
}

/**
 * `error` as a KubeError: `unreachable` unless it is one already, or `timeout` if it is a write whose time is over.
 * After an abort, the message is that of its reason.
 */
function asKubeError(error: unknown, signal: AbortSignal, { verb, path }: Attempt): KubeError {
  if (error instanceof KubeError) return error
  const cause = signal.aborted ? signal.reason : error
  const message = cause instanceof Error ? cause.message : `${cause}`
  const kind =
    cause instanceof DeadlineExceeded && verb !== 'watch' && REQUEST_VERBS[verb].method !== 'GET'
      ? 'timeout'
      : 'unreachable'
  return new KubeError({ kind, message, attempted: `${verb} ${path}` }, { cause })
}

async function* linesUntil(body: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<string> {
  try {
    yield* linesOf(body)
  } finally {
    deadline.end()
  }
}
