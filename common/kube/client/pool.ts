import type { ConnectionOptions } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import { Agent } from 'undici'

export interface PoolOptions {
  /**
   * the most connections; default: 32. At least watches + workers + 4, so that no write waits for one inside undici. A
   * function is asked before the first connection is made
   */
  readonly connections?: number | (() => number)
}

/** The TLS settings that need connections of their own. */
type Tls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'>

/** The connections to the API server. A new token keeps them, and a new certificate replaces them. */
export class Pool {
  readonly #connections: () => number
  #agent: Agent | undefined
  #tls: Tls = {}

  constructor({ connections = 32 }: PoolOptions = {}) {
    this.#connections = typeof connections === 'number' ? () => connections : connections
  }

  get agent(): Agent | undefined {
    return this.#agent
  }

  /** Uses `tls` for new requests. Requests on older connections may end. */
  adopt({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }: Tls): void {
    const tls = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }
    if (this.#agent && isDeepStrictEqual(tls, this.#tls)) return
    this.#agent?.close().catch(() => undefined) // it is closing already
    this.#tls = tls
    this.#agent = new Agent({
      // undici 8 offers HTTP/2, which Go's servers prefer: one connection would carry and block all requests
      allowH2: false,
      connections: this.#connections(),
      keepAliveTimeout: 30_000,
      // Every request has a time limit of its own. Watches may be silent for long; the reflector limits that.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...tls, keepAlive: true, keepAliveInitialDelay: 15_000, timeout: 5_000 },
    })
  }

  /** Closes all connections. Requests under way fail. */
  async destroy(): Promise<void> {
    await this.#agent?.destroy()
  }
}
