import {
  type AnalysisProvider,
  type ProviderSpec,
  providerWithDefaults,
} from '../../../common/analysis/kinds/provider.ts'
import { isEqual } from '../../../common/json/json.ts'
import { Yielder } from '../../../common/program/yielder.ts'
import type { Send } from '../providers/provider.ts'
import { type GuardedOptions, guardedClient, type ProviderClient } from './guarded.ts'

interface Connected {
  readonly spec: ProviderSpec
  readonly client: ProviderClient
}

/** The connections to all providers. Each has its own: one that is slow delays no other. */
export class Connections {
  readonly #options: GuardedOptions
  readonly #connected = new Map<string, Connected>()

  constructor(options: GuardedOptions) {
    this.#options = { yielder: new Yielder(options.timers), ...options }
  }

  /** Sends requests to `provider` as it is now. After a change of its spec, requests under way end as they began. */
  send(provider: AnalysisProvider): Send {
    const { name } = provider.metadata
    const known = this.#connected.get(name)
    if (known && isEqual(known.spec, provider.spec)) return known.client.send
    if (known) this.forget(name)
    const client = guardedClient(providerWithDefaults(provider.spec), this.#options)
    this.#connected.set(name, { spec: provider.spec, client })
    return client.send
  }

  /** Whether as many requests to a provider wait as may be sent at once. */
  isBusy(name: string): boolean {
    return this.#connected.get(name)?.client.isBusy() ?? false
  }

  /** Closes the connections to a provider that is gone, once its requests under way have ended. */
  forget(name: string): void {
    const known = this.#connected.get(name)
    this.#connected.delete(name)
    known?.client.close().catch(() => undefined) // it is closed already
  }

  /** Closes all connections at once. Requests under way fail. */
  async close(): Promise<void> {
    const all = [...this.#connected.values()]
    this.#connected.clear()
    await Promise.all(all.map(({ client }) => client.destroy()))
  }
}
