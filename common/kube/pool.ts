import { createHash } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import { Agent } from 'undici'

export interface PoolOptions {
  /**
   * Connections to the API server. At least watches + workers + 4, so that a write never waits for a connection
   * inside undici.
   */
  readonly connections?: number
}

/** What tells one TLS client from another. */
type Tls = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'>

/** The connections of this process to the API server; they survive a change of token and follow a change of certificates. */
export class Pool {
  readonly #connections: number
  #agent: Agent | undefined
  #fingerprint = ''

  constructor({ connections = 32 }: PoolOptions = {}) {
    this.#connections = connections
  }

  get agent(): Agent | undefined {
    return this.#agent
  }

  /** Uses `tls` from now on. What runs over older connections may end in peace. */
  adopt({ ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }: Tls): void {
    const tls = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }
    const fingerprint = fingerprintOf(tls)
    if (this.#agent && fingerprint === this.#fingerprint) return
    this.#agent?.close().catch(() => undefined) // it is closing already
    this.#fingerprint = fingerprint
    this.#agent = new Agent({
      // undici 8 offers HTTP/2 and Go's servers prefer it: one connection would carry, and block, everything
      allowH2: false,
      connections: this.#connections,
      keepAliveTimeout: 30_000,
      headersTimeout: 30_000,
      bodyTimeout: 0, // watches are silent for long; the reflector listens for that
      connect: { ...tls, keepAlive: true, keepAliveInitialDelay: 15_000, timeout: 5_000 },
    })
  }

  /** Ends every connection; requests under way fail. */
  async destroy(): Promise<void> {
    await this.#agent?.destroy()
  }
}

function fingerprintOf(tls: Tls): string {
  const hash = createHash('sha256')
  for (const part of Object.values(tls)) hash.update(`${part ?? ''}\0`)
  return hash.digest('hex')
}
