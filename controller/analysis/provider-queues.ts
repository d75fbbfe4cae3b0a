import type { Key } from '../runtime/queue.ts'

/** The runs that wait because a provider has no free slot, in the order of their arrival. */
export class ProviderQueues {
  /** by provider, in the order in which they came */
  readonly #lines = new Map<string, Set<Key>>()

  /** How many runs wait; those that wait for two providers count twice. */
  get size(): number {
    return [...this.#lines.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** The run waits for a provider. One that waits already keeps its place. */
  wait(provider: string, run: Key): void {
    const line = this.#lines.get(provider) ?? new Set()
    this.#lines.set(provider, line.add(run))
  }

  /** Takes the first run of each provider that is not busy any more. */
  next(isBusy: (provider: string) => boolean): readonly Key[] {
    return [...this.#lines].flatMap(([provider, line]) => {
      const [first] = line
      if (first === undefined || isBusy(provider)) return []
      this.#leave(provider, first)
      return [first]
    })
  }

  /** Forgets a run that is gone. */
  forget(run: Key): void {
    for (const provider of this.#lines.keys()) this.#leave(provider, run)
  }

  #leave(provider: string, run: Key): void {
    const line = this.#lines.get(provider)
    line?.delete(run)
    if (line?.size === 0) this.#lines.delete(provider)
  }
}
