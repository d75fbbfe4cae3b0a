import type { Dispatcher } from 'undici'
import { isObject } from '../../json/json.ts'
import type { Credentials } from './credentials.ts'
import type { Call } from './request.ts'

/** Sends calls to the API server with the credentials that are valid now. */
export class Exchange {
  readonly #credentials: Pick<Credentials, 'access' | 'reload' | 'drop'>
  readonly #userAgent: string

  constructor(credentials: Pick<Credentials, 'access' | 'reload' | 'drop'>, userAgent: string) {
    this.#credentials = credentials
    this.#userAgent = userAgent
  }

  /**
   * Resolves when the headers of the answer have arrived, whatever its status. A call that is answered with 401 is sent
   * once more, with new credentials.
   * @throws what reading the credentials or sending throws
   */
  send(call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#send(call, { signal, mayReload: true })
  }

  async #send(call: Call, { signal, mayReload }: Sending): Promise<Dispatcher.ResponseData> {
    const access = this.#credentials.access()
    const { origin, prefix, headers, dispatcher } = await access
    const response = await dispatcher
      .request({
        origin,
        path: `${prefix}${call.path}`,
        method: call.method,
        headers: { ...headers, ...call.headers, 'user-agent': this.#userAgent },
        body: call.body ?? null,
        signal,
      })
      .catch((error: unknown) => {
        if (isAboutTls(error)) this.#credentials.drop(access)
        throw error
      })
    if (response.statusCode !== 401 || !mayReload) return response
    await response.body.dump()
    this.#credentials.reload(access)
    return this.#send(call, { signal, mayReload: false })
  }
}

interface Sending {
  readonly signal: AbortSignal
  readonly mayReload: boolean
}

const isAboutTls = (error: unknown): boolean =>
  isObject(error) && /CERT|TLS|SSL|VERIFY|SELF_SIGNED/.test(`${error.code}`)
