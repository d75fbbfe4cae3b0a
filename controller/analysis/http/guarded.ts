import { type Dispatcher, Pool } from 'undici'
import type { CompleteProvider } from '../../../common/analysis/kinds/provider.ts'
import type { Failed, LongList, ProviderReply, ProviderRequest } from '../../../common/analysis/query/window-query.ts'
import { isObject } from '../../../common/json/json.ts'
import type { Clock, Timers } from '../../../common/program/clock.ts'
import { startDeadline, unlessAborted } from '../../../common/program/deadline.ts'
import { Semaphore } from '../../../common/program/semaphore.ts'
import { Yielder } from '../../../common/program/yielder.ts'
import type { Send } from '../providers/provider.ts'
import { authoritiesIn } from './authorities.ts'
import { type Guard, guardedConnector, resolveBySystem } from './connector.ts'
import { RequestRefused, safeErrorText } from './failures.ts'
import { headerProblem, headersFor } from './headers.ts'
import { replyOf } from './reply.ts'
import { type ProviderTarget, pathFor, providerTarget } from './target.ts'

/** What a request may take. */
interface Limits {
  /** the time to connect: name resolution, TCP and TLS */
  readonly connectMs: number
  /** the time from reading the credential to the last byte of the answer; the wait for a free slot is not included */
  readonly totalMs: number
  /** the size of the body of an answer */
  readonly maxBytes: number
}

/** The limits of every request. */
const REQUEST_LIMITS: Limits = { connectMs: 3_000, totalMs: 10_000, maxBytes: 4 * 1024 * 1024 }

/** Reads a credential by its name: printable ASCII, or why there is none. Never throws. */
export type ReadCredential = (name: string) => Promise<{ readonly is: 'credential'; readonly text: string } | Failed>

/** How requests to providers are made. */
export interface GuardedOptions extends Omit<Guard, 'resolve'> {
  /** default: as the system does */
  readonly resolve?: Guard['resolve']
  /** read for each request, so that a rotated one is used at once */
  readonly credential: ReadCredential
  /** `experiment-controller/0.1.0` */
  readonly userAgent: string
  readonly clock: Clock
  readonly timers: Timers
  /** default: one of its own; clients with the same one share the turns in which they read answers */
  readonly yielder?: Yielder
  /** default: `REQUEST_LIMITS` */
  readonly limits?: Partial<Limits>
}

/** Sends requests to one provider. */
export interface ProviderClient {
  /** Sends a request when fewer than `maxConcurrent` others are under way. Never throws. */
  readonly send: Send
  /** Whether as many requests wait as may be under way. */
  isBusy(): boolean
  /** Accepts no more requests, and closes the connections once the accepted ones have ended. */
  close(): Promise<void>
  /** Closes the connections at once. Requests under way fail. */
  destroy(): Promise<void>
}

/**
 * A client of `provider`, with connections of its own. It can reach nothing but the address. A reply contains either
 * the JSON of an answer, or its status and a word of Prometheus. It follows no redirect, uses no proxy, keeps no
 * cookie and decodes no compression. For a provider that must not be asked, each reply says why.
 */
export function guardedClient(provider: CompleteProvider, options: GuardedOptions): ProviderClient {
  const target = providerTarget(provider)
  if (target.is === 'failed') return refusing(target)
  const authorities = authoritiesIn(provider.caBundle)
  if (authorities.is === 'failed') return refusing(authorities)
  const problem = headerProblem(provider.headers ?? {})
  if (problem !== undefined) return refusing({ is: 'failed', message: problem })
  return new GuardedClient({ provider, target, ca: authorities.pem }, options)
}

const refusing = (failed: Failed): ProviderClient => ({
  send: async () => failed,
  isBusy: () => false,
  close: async () => undefined,
  destroy: async () => undefined,
})

const CLOSED: Failed = { is: 'failed', message: 'connection closed' }

/** A provider that may be asked. */
interface Checked {
  readonly provider: CompleteProvider
  readonly target: ProviderTarget
  /** PEM */
  readonly ca: string | undefined
}

class GuardedClient implements ProviderClient {
  readonly #checked: Checked
  readonly #options: GuardedOptions
  readonly #limits: Limits
  readonly #pool: Pool
  readonly #places: Semaphore
  readonly #yielder: Yielder
  readonly #accepted = new Set<Promise<ProviderReply>>()
  #isClosing = false

  constructor(checked: Checked, options: GuardedOptions) {
    this.#checked = checked
    this.#options = options
    this.#limits = { ...REQUEST_LIMITS, ...options.limits }
    this.#pool = connections(checked, options, this.#limits)
    this.#places = new Semaphore(checked.provider.maxConcurrent)
    this.#yielder = options.yielder ?? new Yielder(options.timers)
  }

  readonly send: Send = (request, list) => {
    if (this.#isClosing) return Promise.resolve(CLOSED)
    const reply = this.#places.run(() => this.#exchange(request, list), undefined)
    this.#accepted.add(reply)
    return reply.finally(() => this.#accepted.delete(reply))
  }

  isBusy(): boolean {
    return this.#places.waiting >= this.#checked.provider.maxConcurrent
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.allSettled(this.#accepted) // also those that wait for a free slot
    await this.#pool.close()
  }

  destroy(): Promise<void> {
    this.#isClosing = true
    return this.#pool.destroy()
  }

  async #exchange(request: ProviderRequest, list: LongList | undefined): Promise<ProviderReply> {
    const deadline = startDeadline(this.#options.timers, this.#limits.totalMs)
    try {
      return await replyOf(await this.#response(request, deadline.signal), {
        type: this.#checked.provider.type,
        clock: this.#options.clock,
        yielder: this.#yielder,
        list,
      })
    } catch (error) {
      return { is: 'failed', message: this.#words(error, deadline.signal, list?.remedy) }
    } finally {
      deadline.end()
    }
  }

  async #response(request: ProviderRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { provider, target } = this.#checked
    const { userAgent, credential: read } = this.#options
    const path = pathFor(target, request)
    if (path === undefined) throw new RequestRefused('the path leads out of the address')
    const credential =
      provider.credential === undefined ? undefined : await unlessAborted(read(provider.credential), signal)
    if (credential?.is === 'failed') throw new RequestRefused(credential.message)
    const headers = headersFor(request, { provider, credential: credential?.text, userAgent })
    const { method, body } = request
    return await this.#pool.request({ path, method, headers, body: body?.text ?? null, signal })
  }

  #words(error: unknown, signal: AbortSignal, remedy: string | undefined): string {
    const { totalMs, maxBytes } = this.#limits
    if (signal.aborted) return `no answer within ${totalMs / 1_000} s`
    const code = isObject(error) ? error.code : undefined
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
      return `answer longer than ${maxBytes / 1024 / 1024} MiB${remedy === undefined ? '' : `; ${remedy}`}`
    return safeErrorText(error)
  }
}

function connections({ provider, target, ca }: Checked, options: GuardedOptions, limits: Limits): Pool {
  const { apiServers, loopback, timers, resolve = resolveBySystem } = options
  return new Pool(target.origin, {
    connect: guardedConnector(target, { apiServers, loopback, resolve }, { ca, timers, timeoutMs: limits.connectMs }),
    connections: provider.maxConcurrent,
    keepAliveMaxTimeout: 60_000, // then the name is resolved again
    maxHeaderSize: 16 * 1024,
    maxResponseSize: limits.maxBytes,
    // the time limit of the whole request is enough
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
