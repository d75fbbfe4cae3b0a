import type { Dispatcher } from 'undici'
import { isObject } from '../../json/json.ts'
import { unlessAborted } from '../../program/deadline.ts'
import type { ApiServerAccess, Credentials } from './credentials.ts'
import { type Fence, fenced } from './fence.ts'
import type { Call } from './request.ts'
import { checkedAtStart } from './start-check.ts'

/** Sends calls to the API server with the credentials that are valid now. */
export class Exchange {
  readonly #credentials: Pick<Credentials, 'access' | 'reload' | 'drop'>
  readonly #userAgent: string
  readonly #fence: Fence | undefined

  constructor(credentials: Pick<Credentials, 'access' | 'reload' | 'drop'>, userAgent: string, fence?: Fence) {
    this.#credentials = credentials
    this.#userAgent = userAgent
    this.#fence = fence
  }

  /**
   * Resolves at the headers of the answer, whatever its status. After 401 it sends the call again with new credentials.
   * @throws the reason of `signal` as soon as that aborts, also while the call waits for a connection; what reading the
   * credentials or sending throws; NotHeld for a write that the fence stops
   */
  async send(call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const access = this.#credentials.access()
    const response = await this.#sendWith(access, call, signal)
    if (response.statusCode !== 401) return response
    await response.body.dump()
    this.#credentials.reload(access)
    return this.#sendWith(this.#credentials.access(), call, signal)
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
        headers: { ...headers, ...call.headers, 'user-agent': this.#userAgent },
        body: call.body ?? null,
        signal,
      })
    } catch (error) {
      if (isAboutTls(error)) this.#credentials.drop(access)
      throw error
    }
  }
}

const isAboutTls = (error: unknown): boolean =>
  isObject(error) && /CERT|TLS|SSL|VERIFY|SELF_SIGNED/.test(`${error.code}`)
