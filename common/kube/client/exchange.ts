import type { Dispatcher } from 'undici'
import { isObject } from '../../json/json.ts'
import { type Deadline, unlessAborted } from '../../program/deadline.ts'
import type { ApiServerAccess, KubeCredentials } from './access.ts'
import { type Fence, fenced } from './fence.ts'
import type { Call } from './request.ts'
import { checkedAtStart } from './start-check.ts'

type Credentials = Omit<KubeCredentials, 'close'>

/** The time limit of a call. It does not hold while people log in. */
type Limit = Pick<Deadline, 'lift' | 'restart'>

/** Sends calls to the API server with the credentials that are valid now. */
export class Exchange {
  readonly #credentials: Credentials
  readonly #userAgent: string
  readonly #fence: Fence | undefined

  constructor(credentials: Credentials, userAgent: string, fence?: Fence) {
    this.#credentials = credentials
    this.#userAgent = userAgent
    this.#fence = fence
  }

  /**
   * Resolves at the headers of the answer, whatever its status. After 401 it sends the call again with new credentials.
   * @throws the reason of `signal` as soon as that aborts, also while the call waits for a connection; what reading the
   * credentials or sending throws; NotHeld for a write that the fence stops
   */
  async send(call: Call, signal: AbortSignal, limit?: Limit): Promise<Dispatcher.ResponseData> {
    await this.#loggedIn(signal, limit)
    const access = this.#credentials.access()
    const response = await this.#sendWith(access, call, signal)
    if (response.statusCode !== 401) return response
    await response.body.dump()
    this.#credentials.reload(access)
    await this.#loggedIn(signal, limit)
    return this.#sendWith(this.#credentials.access(), call, signal)
  }

  async #loggedIn(signal: AbortSignal, limit: Limit | undefined): Promise<void> {
    const login = this.#credentials.login?.()
    if (!login) return
    limit?.lift()
    await unlessAborted(login, signal)
    limit?.restart()
  }

  /**
   * undici reacts to `signal` only when it has a connection for the call, and then closes that connection. So this does
   * not wait for undici, and a call that was aborted does not begin.
   */
  #sendWith(access: Promise<ApiServerAccess>, call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return unlessAborted(this.#begin(access, call, signal), signal)
  }

  async #begin(access: Promise<ApiServerAccess>, call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { origin, prefix, headers, dispatcher } = await access
    const sender = this.#fence && call.method !== 'GET' ? fenced(dispatcher, this.#fence) : dispatcher
    try {
      return await checkedAtStart(sender, () => signal.throwIfAborted()).request({
        origin,
        path: `${prefix}${call.path}`,
        method: call.method,
        headers: { ...mutable(headers), ...call.headers, 'user-agent': this.#userAgent },
        body: call.body ?? null,
        signal,
      })
    } catch (error) {
      if (isAboutTls(error)) this.#credentials.drop(access)
      throw error
    }
  }
}

/** The library's types want lists that it may change. */
const mutable = (headers: ApiServerAccess['headers']): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

const isAboutTls = (error: unknown): boolean =>
  isObject(error) && /CERT|TLS|SSL|VERIFY|SELF_SIGNED/.test(`${error.code}`)
