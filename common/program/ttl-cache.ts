import type { Timers } from './clock.ts'
import { ReadCache, type ReadResult } from './read-cache.ts'

/** Keeps what was read by key for a limited time. Callers who ask while a key is read share the reading. */
export class TtlCache<T> {
  readonly #timers: Pick<Timers, 'now'>
  readonly #keptMs: number
  readonly #readings = new ReadCache<T>()
  readonly #startedAtMs = new Map<string, number>() // a Map keeps the order of insertion: the oldest come first

  /** @param keptMs how long a value is given out, counted from the beginning of its reading */
  constructor(timers: Pick<Timers, 'now'>, keptMs: number) {
    this.#timers = timers
    this.#keptMs = keptMs
  }

  /** How many keys are being read or are kept. */
  get size(): number {
    return this.#readings.size
  }

  /**
   * Returns what is kept for `key`, if its reading began at most `maxAgeMs` ago, or else what `read` finds.
   * @throws what `read` throws; then nothing is kept
   */
  of(key: string, read: () => Promise<ReadResult<T>>, maxAgeMs = this.#keptMs): Promise<T> {
    this.#removeExpired()
    const startedAtMs = this.#startedAtMs.get(key) ?? Number.NEGATIVE_INFINITY
    if (this.#timers.now() - startedAtMs > maxAgeMs) void this.#readings.forget(key) // as if it had expired
    if (!this.#readings.has(key)) {
      this.#startedAtMs.delete(key)
      this.#startedAtMs.set(key, this.#timers.now())
    }
    return this.#readings.of(key, read)
  }

  #removeExpired(): void {
    for (const [key, startedAtMs] of this.#startedAtMs) {
      if (this.#timers.now() - startedAtMs < this.#keptMs) return
      this.#startedAtMs.delete(key)
      void this.#readings.forget(key) // its callers handle it
    }
  }
}
