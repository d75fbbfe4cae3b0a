import type { Timers } from '../common/clock.ts'

/** Something that was read. */
export interface Reading<T> {
  readonly value: T
  /** whether it may be given to who asks later: not what failed, or is about to be there */
  readonly isLasting: boolean
}

interface Entry<T> {
  readonly read: Promise<T>
  readonly sinceMs: number
}

/** What was read by key, for a while at most. Whoever asks while it is read shares the reading. */
export class Remembered<T> {
  readonly #timers: Pick<Timers, 'now'>
  readonly #keptMs: number
  readonly #entries = new Map<string, Entry<T>>()

  constructor(timers: Pick<Timers, 'now'>, keptMs: number) {
    this.#timers = timers
    this.#keptMs = keptMs
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /** What is remembered of `key`, else what `read` finds. @throws what `read` throws, and remembers nothing then */
  of(key: string, read: () => Promise<Reading<T>>): Promise<T> {
    this.#sweep()
    const known = this.#entries.get(key)
    if (known) return known.read
    const entry = { read: this.#read(key, read), sinceMs: this.#timers.now() }
    this.#entries.set(key, entry)
    return entry.read
  }

  async #read(key: string, read: () => Promise<Reading<T>>): Promise<T> {
    let isLasting = false
    try {
      const reading = await read()
      isLasting = reading.isLasting
      return reading.value
    } finally {
      if (!isLasting) this.#entries.delete(key)
    }
  }

  /** A Map keeps the order of insertion, so the oldest come first. */
  #sweep(): void {
    for (const [key, { sinceMs }] of this.#entries) {
      if (this.#timers.now() - sinceMs < this.#keptMs) return
      this.#entries.delete(key)
    }
  }
}
