import type { Dispatcher } from 'undici'
import { isObject } from '../api/object.ts'
import { pause, type Random, type Timers } from '../clock.ts'
import { type Deadline, startDeadline } from '../deadline.ts'
import { textOf } from './body.ts'
import { classify } from './classify.ts'
import { Credentials } from './credentials.ts'
import { isAbsent } from './discovery.ts'
import { KubeError } from './errors.ts'
import { linesOf } from './lines.ts'
import { type Call, callOf, DEADLINES_MS, type KubeRequest, type KubeStream, watchOf } from './request.ts'
import { askedBy } from './resources.ts'
import { retryDelay } from './retry.ts'

/** The API server as we use it: raw JSON in, raw JSON out. */
export interface KubeClient {
  /**
   * The parsed answer. Repeats what may be repeated, within the deadline.
   * @throws KubeError, also on an abort: then `unreachable`, with the reason as its cause.
   */
  request(request: KubeRequest): Promise<unknown>
  /**
   * The lines of a watch, once it is open; iterating throws where the connection does, and BadLine.
   * Whoever stops reading lets the connection go. No repeats.
   * @throws KubeError if it does not open within 30 s.
   */
  stream(stream: KubeStream): Promise<AsyncIterable<string>>
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>
}

export interface KubeClientOptions {
  /** a file as kubectl's; undefined: the service account of the pod we run in */
  readonly kubeconfig: string | undefined
  /** names the program in the audit log: `experiment-controller/0.1.0` */
  readonly userAgent: string
  readonly timers: Timers
  readonly random: Random
  /** default 32; at least watches + workers + 4 */
  readonly connections?: number
}

/** @throws Error if the kubeconfig cannot be read, or there is none and this is no pod. */
export function kubeClient({ userAgent, random, timers, ...options }: KubeClientOptions): KubeClient {
  const credentials = new Credentials({ timers, ...options })

  /** One exchange up to the answer's headers; a refused token is read anew, once. */
  async function exchange(call: Call, signal: AbortSignal, mayReload = true): Promise<Dispatcher.ResponseData> {
    const access = credentials.access()
    const { origin, prefix, headers, dispatcher } = await access
    const response = await dispatcher
      .request({
        origin,
        path: `${prefix}${call.path}`,
        method: call.method,
        headers: { ...headers, ...call.headers, 'user-agent': userAgent },
        body: call.body ?? null,
        signal,
      })
      .catch((error: unknown) => {
        if (isAboutTls(error)) credentials.drop(access)
        throw error
      })
    if (response.statusCode !== 401 || !mayReload) return response
    await response.body.dump()
    credentials.reload(access)
    return exchange(call, signal, false)
  }

  async function once(request: KubeRequest, signal: AbortSignal): Promise<unknown> {
    const response = await exchange(callOf(request), signal)
    const body = parsed(await textOf(response.body, request.maxBytes))
    if (response.statusCode >= 200 && response.statusCode < 300 && isAnswerTo(request, body)) return body
    throw failureOf(response, body, request)
  }

  /** Whether the server indeed knows no such kind, or somebody in between just said 404. */
  async function confirmed(error: KubeError, path: string, signal: AbortSignal): Promise<KubeError> {
    if (error.kind !== 'kindAbsent') return error
    const read = (path: string) => once({ verb: 'get', path }, signal)
    if (await isAbsent(askedBy(path), read).catch(() => false)) return error
    const { attempted = '' } = error
    return new KubeError({ kind: 'unreachable', message: '404 for a kind that is there', attempted }, { cause: error })
  }

  return {
    async request(request) {
      const limitMs = request.deadlineMs ?? DEADLINES_MS[request.verb]
      const deadline = startDeadline(timers, limitMs, request.signal)
      try {
        for (let tries = 1; ; tries++) {
          const outcome = await settled(once(request, deadline.signal))
          if (outcome.is === 'done') return outcome.value
          const failure = asKubeError(outcome.error, deadline.signal, request)
          const delayMs = retryDelay({ failure, request, tries, random })
          if (delayMs === undefined || deadline.signal.aborted)
            throw await confirmed(failure, request.path, deadline.signal)
          await pause(timers, delayMs, deadline.signal)
          if (deadline.signal.aborted) throw failure
        }
      } finally {
        deadline.end()
      }
    },

    async stream(stream) {
      const { path, signal } = stream
      const watch = { verb: 'watch', path }
      const deadline = startDeadline(timers, DEADLINES_MS.get, signal)
      try {
        const response = await exchange(watchOf(stream), deadline.signal)
        if (response.statusCode === 200 && isJson(response)) {
          deadline.lift()
          return linesUntil(response.body, deadline)
        }
        const failure = failureOf(response, parsed(await response.body.text()), watch)
        throw await confirmed(failure, path, deadline.signal)
      } catch (error) {
        const failure = asKubeError(error, deadline.signal, watch)
        deadline.end()
        throw failure
      }
    },

    close: () => credentials.close(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // `classify` judges what has no JSON by its code
  }
}

/** For messages. */
interface Attempt {
  readonly verb: string
  readonly path: string
}

const isAnswerTo = ({ expects }: KubeRequest, body: unknown): boolean =>
  isObject(body) && (expects === undefined || body.kind === expects)

const isJson = ({ headers }: Dispatcher.ResponseData): boolean => `${headers['content-type']}`.includes('json')

function failureOf(response: Dispatcher.ResponseData, body: unknown, { verb, path }: Attempt): KubeError {
  const retryAfter = response.headers['retry-after']
  const answer = { status: response.statusCode, body, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) }
  return new KubeError({ ...classify(answer, askedBy(path)), attempted: `${verb} ${path}` })
}

/** Whatever went wrong on the way is `unreachable`; an abort is told by its reason. */
function asKubeError(error: unknown, signal: AbortSignal, { verb, path }: Attempt): KubeError {
  if (error instanceof KubeError) return error
  const cause = signal.aborted ? signal.reason : error
  const message = cause instanceof Error ? cause.message : `${cause}`
  return new KubeError({ kind: 'unreachable', message, attempted: `${verb} ${path}` }, { cause })
}
const isAboutTls = (error: unknown): boolean =>
  isObject(error) && /CERT|TLS|SSL|VERIFY|SELF_SIGNED/.test(`${error.code}`)

type Settled = { readonly is: 'done'; readonly value: unknown } | { readonly is: 'failed'; readonly error: unknown }

const settled = (promise: Promise<unknown>): Promise<Settled> =>
  promise.then(
    (value) => ({ is: 'done', value }),
    (error: unknown) => ({ is: 'failed', error }),
  )

async function* linesUntil(body: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<string> {
  try {
    yield* linesOf(body)
  } finally {
    deadline.end()
  }
}
