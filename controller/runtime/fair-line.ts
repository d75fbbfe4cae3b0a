/** Waiting keys. Within a namespace they are served in the order of their arrival, and the namespaces take turns. */
export class FairLine {
  // A Set and a Map keep the order of insertion. A namespace that was served goes to the end.
  readonly #namespaces = new Map<string, Set<string>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds `key`, which must not be waiting already. */
  push(key: string): void {
    const namespace = key.split('/', 1)[0] ?? ''
    const keys = this.#namespaces.get(namespace) ?? new Set()
    this.#namespaces.set(namespace, keys.add(key))
    this.#size += 1
  }

  shift(): string | undefined {
    for (const [namespace, keys] of this.#namespaces) {
      this.#namespaces.delete(namespace)
      for (const key of keys) {
        keys.delete(key)
        if (keys.size > 0) this.#namespaces.set(namespace, keys)
        this.#size -= 1
        return key
      }
    }
    return undefined
  }

  clear(): void {
    this.#namespaces.clear()
    this.#size = 0
  }
}
