import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { readNamespace } from '../../common/kube/reads/namespace.ts'
import type { NamespaceView } from '../../common/policy/policy.ts'
import type { Timers } from '../../common/program/clock.ts'
import type { Reading } from '../../common/program/shared-readings.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'

/** How long a namespace is cached, and therefore the longest delay until a policy applies to a newly labelled namespace. */
const KEPT_MS = 60_000

export interface NamespacesOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly timers: Pick<Timers, 'now'>
  readonly deadlineMs: number
}

/** Namespaces as policies see them, at most a minute old. Concurrent callers share one read. */
export class Namespaces {
  readonly #options: NamespacesOptions
  readonly #remembered: TtlCache<NamespaceView | undefined>

  constructor(options: NamespacesOptions) {
    this.#options = options
    this.#remembered = new TtlCache(options.timers, KEPT_MS)
  }

  /** The number of cached namespaces. */
  get size(): number {
    return this.#remembered.size
  }

  /**
   * The namespace `name`; undefined if it cannot be read now. One that does not exist has only the label with its name,
   * and is not cached.
   */
  of(name: string): Promise<NamespaceView | undefined> {
    return this.#remembered.of(name, () => this.#read(name))
  }

  async #read(name: string): Promise<Reading<NamespaceView | undefined>> {
    const { client, deadlineMs } = this.#options
    try {
      const { view, isThere } = await readNamespace(client, name, deadlineMs)
      return { value: view, isLasting: isThere }
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return { value: undefined, isLasting: false }
    }
  }
}
