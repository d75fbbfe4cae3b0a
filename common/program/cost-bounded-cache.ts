import type { Timers } from './clock.ts'
import { SingleFlight } from './single-flight.ts'

interface Kept<T> {
  readonly value: T
  readonly untilMs: number
}

/**
 * Shared readings by key, as `SingleFlight`. The owner decides how long each value is kept: longer if its reading costs
 * more, so that repeated readings take only a small part of the time.
 */
export class CostBoundedCache<T> {
  readonly #flights = new SingleFlight<T>()
  readonly #kept = new Map<string, Kept<T>>()
  readonly #timers: Pick<Timers, 'now'>
  readonly #keptMs: (value: T) => number

  /** @param keptMs how long a value is given out after it was read, in milliseconds; 0: not at all */
  constructor(timers: Pick<Timers, 'now'>, keptMs: (value: T) => number) {
    this.#timers = timers
    this.#keptMs = keptMs
  }

  /** How many values are kept. Those whose time is over go with the next call. */
  get size(): number {
    return this.#kept.size
  }

  /**
   * Returns what is kept for `key`, or else what a reading finds that begins now or later. @throws what `read` throws
   */
  async of(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.#timers.now()
    for (const [each, { untilMs }] of this.#kept) if (untilMs <= now) this.#kept.delete(each)
    const kept = this.#kept.get(key)
    return kept ? kept.value : this.#flights.of(key, () => this.#read(key, read))
  }

  async #read(key: string, read: () => Promise<T>): Promise<T> {
    const value = await read()
    const keptMs = this.#keptMs(value)
    if (keptMs > 0) this.#kept.set(key, { value, untilMs: this.#timers.now() + keptMs })
    return value
  }
}
