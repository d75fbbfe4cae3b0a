import type { ConnectionOptions } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'

export interface PoolOptions {
  /**
   * the most connections; default: 32. At least watches + workers + 4, so that no write waits for one inside undici. A
   * function is asked before the first connection is made
   */
  readonly connections?: number | (() => number)
}

/** The TLS settings that need connections of their own. */
type Tls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'>

/** An agent of undici. */
type Connections = Dispatcher & { readonly closed?: boolean; readonly destroyed?: boolean }

/** Of a connection, with TLS or without. */
const CONNECT_MS = 5_000

/** The connections to the API server. A new token keeps them, and a new certificate replaces them. */
export class Pool {
  readonly #connections: () => number
  #agent: Connections | undefined
  #kept: { readonly tls: Tls; readonly proxy: string | undefined } | undefined

  constructor({ connections = 32 }: PoolOptions = {}) {
    this.#connections = typeof connections === 'number' ? () => connections : connections
  }

  get agent(): Connections | undefined {
    return this.#agent
  }

  /** Uses `tls`, and the proxy with this URL, for new requests. Requests on older connections may end. */
  adopt({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }: Tls, proxy?: string): Dispatcher {
    const tls = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }
    if (this.#agent && isDeepStrictEqual({ tls, proxy }, this.#kept)) return this.#agent
    this.#agent?.close().catch(() => undefined) // it is closing already
    this.#kept = { tls, proxy }
    this.#agent = proxy === undefined ? this.#direct(tls) : this.#proxied(tls, proxy)
    return this.#agent
  }

  /** Closes all connections. Requests under way fail. */
  async destroy(): Promise<void> {
    await this.#agent?.destroy()
  }

  #direct(tls: Tls): Agent {
    return new Agent({ ...this.#limits(), connect: { ...tls, ...KEPT_ALIVE, timeout: CONNECT_MS } })
  }

  /** As in Go, a proxy that is reached over TLS proves itself as the API server does, and gets the same certificate. */
  #proxied({ servername, ...tls }: Tls, uri: string): ProxyAgent {
    // with these settings, undici would speak TLS to a SOCKS proxy
    const proxyTls = { ...tls, ...KEPT_ALIVE, allowH2: false, timeout: CONNECT_MS }
    return new ProxyAgent({
      ...this.#limits(),
      uri,
      connectTimeout: CONNECT_MS,
      ...(uri.startsWith('socks5:') ? {} : { proxyTls }),
      requestTls: { ...tls, ...(servername === undefined ? {} : { servername }), allowH2: false, timeout: CONNECT_MS },
    })
  }

  #limits() {
    return {
      // undici 8 offers HTTP/2, which Go's servers prefer: one connection would carry and block all requests
      allowH2: false,
      connections: this.#connections(),
      keepAliveTimeout: 30_000,
      // Every request has a time limit of its own. Watches may be silent for long; the reflector limits that.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }
}

const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelay: 15_000 }
