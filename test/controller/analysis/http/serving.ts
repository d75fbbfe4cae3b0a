import type { ProviderSpec } from '../../../../common/analysis/kinds/provider.ts'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import { realTimers } from '../../../../common/program/clock.ts'
import {
  type GuardedOptions,
  guardedClient,
  type ProviderClient,
} from '../../../../controller/analysis/http/guarded.ts'
import type { Served } from '../../../fakes/wire.ts'

/** May reach this machine, and no API server. */
export const OPTIONS: GuardedOptions = {
  apiServers: () => [],
  loopback: 'allow',
  credential: async () => ({ is: 'credential', text: 'the-secret' }),
  userAgent: 'test/1',
  clock: () => new Date('2026-11-21T12:00:00Z'),
  timers: realTimers(),
}

/** Servers and clients of one test file. `close` after each test. */
export class World {
  readonly #served: { close(): Promise<void> }[] = []
  readonly #clients: ProviderClient[] = []

  /** Starts a server by `serve` or `serveBytes`. */
  async started(serving: Promise<Served>): Promise<Served> {
    const served = await serving
    this.#served.push(served)
    return served
  }

  /** A client with `OPTIONS`, unless `options` say otherwise. */
  client(provider: Partial<ProviderSpec>, options: Partial<GuardedOptions> = {}): ProviderClient {
    const complete = providerWithDefaults({ type: 'Prometheus', namespaceSelector: {}, ...provider })
    const client = guardedClient(complete, { ...OPTIONS, ...options })
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.destroy()))
    await Promise.all(this.#served.splice(0).map((served) => served.close()))
  }
}

/** What most tests ask for. */
export const QUERY = { method: 'GET', path: '/api/v1/query' } as const

/** A reply that says so. */
export const failed = (message: string) => ({ is: 'failed', message })
