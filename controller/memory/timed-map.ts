import type { Timers } from '../../common/program/clock.ts'

interface Entry<V> {
  readonly value: V
  readonly untilMs: number
}

/** Values by key, each for a time from when it was last set. What is over is not found, and goes with a sweep. */
export class TimedMap<K, V> {
  readonly #timers: Pick<Timers, 'now'>
  readonly #keptMs: number
  readonly #entries = new Map<K, Entry<V>>()

  /** @param keptMs for how many milliseconds a value is found */
  constructor(timers: Pick<Timers, 'now'>, keptMs: number) {
    this.#timers = timers
    this.#keptMs = keptMs
  }

  /** How many values it has, with those that are over and were not swept. */
  get size(): number {
    return this.#entries.size
  }

  /** The value of `key`, unless its time is over. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    return entry && !this.#isOver(entry) ? entry.value : undefined
  }

  /** @param keptMs default: as long as the others */
  set(key: K, value: V, keptMs = this.#keptMs): void {
    this.#entries.delete(key) // what was set last is last
    this.#entries.set(key, { value, untilMs: this.#timers.now() + keptMs })
  }

  /** Forgets `key`. If a `value` is given: only if it is that of `key`, over or not. */
  delete(key: K, value?: V): void {
    if (value === undefined || this.#entries.get(key)?.value === value) this.#entries.delete(key)
  }

  /** Forgets the values that were set first, as long as their time is over, and returns them in that order. */
  sweep(): readonly V[] {
    const over: V[] = []
    for (const [key, entry] of this.#entries) {
      if (!this.#isOver(entry)) break
      this.#entries.delete(key)
      over.push(entry.value)
    }
    return over
  }

  clear(): void {
    this.#entries.clear()
  }

  #isOver({ untilMs }: Entry<V>): boolean {
    return this.#timers.now() >= untilMs
  }
}
