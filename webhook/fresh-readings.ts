interface Entry<T> {
  readonly read: Promise<T>
  /** for those who came while that was under way: it may have missed what they come from */
  next: Promise<T> | undefined
}

/**
 * What is read by key, and not remembered: each reading begins after it was asked for. Whoever asks while one is under
 * way shares the next with all who do, so that two hundred reviews of one namespace read it twice.
 */
export class FreshReadings<T> {
  readonly #entries = new Map<string, Entry<T>>()

  /** Keys that are being read. */
  get size(): number {
    return this.#entries.size
  }

  /** What `read` finds, if nobody is reading; else what the next reading finds. @throws what `read` throws */
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
