/** The namespace of a key `namespace/name`. */
export const namespaceOf = (key: string): string => key.split('/', 1)[0] ?? ''

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
    const namespace = namespaceOf(key)
    const keys = this.#namespaces.get(namespace) ?? new Set()
    this.#namespaces.set(namespace, keys.add(key))
    this.#size += 1
  }

  /** The key whose turn it is, of those in namespaces whose keys `isServed` accepts. */
  peek(isServed: (key: string) => boolean = () => true): string | undefined {
    for (const [key] of this.#namespaces.values()) if (key !== undefined && isServed(key)) return key
    return undefined
  }

  /** Removes and returns what `peek` returns. Namespaces that are passed over keep their turn. */
  shift(isServed?: (key: string) => boolean): string | undefined {
    const key = this.peek(isServed)
    if (key === undefined) return undefined
    const namespace = namespaceOf(key)
    const keys = this.#namespaces.get(namespace)
    this.#namespaces.delete(namespace)
    if (keys?.delete(key) && keys.size > 0) this.#namespaces.set(namespace, keys)
    this.#size -= 1
    return key
  }

  clear(): void {
    this.#namespaces.clear()
    this.#size = 0
  }
}
