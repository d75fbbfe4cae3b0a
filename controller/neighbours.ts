import type { Cancel, Timers } from '../common/clock.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'

/** How long a list is good for: so late, at worst, is a new neighbour seen by a pass. */
const KEPT_MS = 60_000

interface NeighbourCacheOptions {
  /** asks the API server; undefined where it could not tell now */
  readonly list: (namespace: string) => Promise<Neighbours | undefined>
  readonly timers: Timers
}

/**
 * Who else acts on the pods of a namespace, as of a minute ago at most. Asked by passes alone, so a namespace without
 * experiments costs nothing; an entry goes by its own timer, so none outlives its use.
 */
export class NeighbourCache {
  readonly #options: NeighbourCacheOptions
  readonly #entries = new Map<string, Promise<Neighbours | undefined>>()
  readonly #expiries = new Map<string, Cancel>()

  constructor(options: NeighbourCacheOptions) {
    this.#options = options
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /** All in `namespace`; undefined where nobody can tell now, and the next who asks tries again. */
  of(namespace: string): Promise<Neighbours | undefined> {
    const known = this.#entries.get(namespace)
    if (known !== undefined) return known // many followers of one source ask at once
    const asked = this.#options.list(namespace).then(
      (found) => {
        if (!found) this.#forget(namespace)
        return found
      },
      (error: unknown) => {
        this.#forget(namespace)
        throw error
      },
    )
    this.#entries.set(namespace, asked)
    this.#expiries.set(
      namespace,
      this.#options.timers.after(KEPT_MS, () => this.#forget(namespace)),
    )
    return asked
  }

  /** Forgets everything. */
  stop(): void {
    for (const namespace of [...this.#entries.keys()]) this.#forget(namespace)
  }

  #forget(namespace: string): void {
    this.#expiries.get(namespace)?.()
    this.#expiries.delete(namespace)
    this.#entries.delete(namespace)
  }
}
