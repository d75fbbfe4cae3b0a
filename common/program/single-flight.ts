interface Entry<T> {
  readonly read: Promise<T>
  /** for callers who came during `read`, which may have missed the change that they come from */
  next: Promise<T> | undefined
}

/**
 * Shared readings by key that are never older than the request. Callers who come while a reading is under way share the
 * next one, so that 200 reviews of one namespace read it twice. Nothing is kept.
 */
export class SingleFlight<T> {
  readonly #entries = new Map<string, Entry<T>>()

  /** How many keys are being read. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns what a reading finds that begins now or, if one is under way, after it. @throws what `read` throws */
  of(key: string, read: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key)
    if (!entry) return this.#begin(key, read)
    const begin = () => this.#begin(key, read)
    entry.next ??= entry.read.then(begin, begin)
    return entry.next
  }

  #begin(key: string, read: () => Promise<T>): Promise<T> {
    const done = () => {
      if (entry.next === undefined) this.#entries.delete(key)
    }
    const entry: Entry<T> = { read: read().finally(done), next: undefined }
    this.#entries.set(key, entry)
    return entry.read
  }
}
