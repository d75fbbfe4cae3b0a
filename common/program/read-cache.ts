/** What a reading found. */
export interface ReadResult<T> {
  readonly value: T
  /** whether callers who come after the end of the reading get this value too */
  readonly isLasting: boolean
}

/** Readings by key, shared while under way, and afterwards if lasting. Nothing expires: the owner forgets keys. */
export class ReadCache<T> {
  readonly #readings = new Map<string, Promise<T>>()

  /** How many keys are being read or are kept. */
  get size(): number {
    return this.#readings.size
  }

  has(key: string): boolean {
    return this.#readings.has(key)
  }

  /** Returns what is kept for `key`, or else what `read` finds. @throws what `read` throws; then nothing is kept */
  of(key: string, read: () => Promise<ReadResult<T>>): Promise<T> {
    const known = this.#readings.get(key)
    if (known !== undefined) return known
    const reading = Promise.try(read)
    const value = reading.then(({ value }) => value)
    const forget = () => {
      if (this.#readings.get(key) === value) this.#readings.delete(key)
    }
    this.#readings.set(key, value)
    void reading.then(({ isLasting }) => isLasting || forget(), forget)
    return value
  }

  /** Forgets `key`, and returns what was kept for it. A reading under way still ends for those who wait for it. */
  forget(key: string): Promise<T> | undefined {
    const known = this.#readings.get(key)
    this.#readings.delete(key)
    return known
  }

  clear(): void {
    this.#readings.clear()
  }
}
