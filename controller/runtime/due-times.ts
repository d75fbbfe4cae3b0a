interface Due<K> {
  readonly key: K
  readonly dueMs: number
  /** orders equal times: the first that was put is the first due */
  readonly turn: number
}

/** The times at which keys are due: a binary heap, earliest first, with one time for each key. */
export class DueTimes<K> {
  readonly #due = new Map<K, Due<K>>()
  #heap: Due<K>[] = [] // entries that are no longer in the map are skipped, and swept when they are most of the heap
  #turn = 0

  get size(): number {
    return this.#due.size
  }

  /** The entries of the heap, with those of deleted keys: never many more than `size`. For tests. */
  get heapSize(): number {
    return this.#heap.length
  }

  /** The earliest time, on the clock that `put` was called with; undefined when there is none. */
  get next(): number | undefined {
    return this.#first()?.dueMs
  }

  /** Sets the time of `key`; a key that has an earlier time keeps it. */
  put(key: K, dueMs: number): void {
    if (dueMs >= (this.#due.get(key)?.dueMs ?? Number.POSITIVE_INFINITY)) return
    this.#turn += 1
    const due = { key, dueMs, turn: this.#turn }
    this.#due.set(key, due)
    this.#rise(due)
    this.#sweep()
  }

  delete(key: K): void {
    this.#due.delete(key)
    this.#sweep()
  }

  clear(): void {
    this.#due.clear()
    this.#heap = []
  }

  /** Removes and returns the first key that is due by `nowMs`; undefined if none is. */
  shift(nowMs: number): K | undefined {
    const first = this.#first()
    if (!first || first.dueMs > nowMs) return undefined
    this.#due.delete(first.key)
    return first.key
  }

  /** Removes and returns the keys that are due by `nowMs`, the earliest first. */
  take(nowMs: number): readonly K[] {
    const keys: K[] = []
    for (let key = this.shift(nowMs); key !== undefined; key = this.shift(nowMs)) keys.push(key)
    return keys
  }

  /** The earliest entry that was not deleted. */
  #first(): Due<K> | undefined {
    let first = this.#heap[0]
    while (first && this.#due.get(first.key) !== first) {
      this.#shift()
      first = this.#heap[0]
    }
    return first
  }

  #rise(due: Due<K>): void {
    let hole = this.#heap.length
    while (hole > 0) {
      const above = (hole - 1) >> 1
      const parent = this.#heap[above]
      if (!parent || !isBefore(due, parent)) break
      this.#heap[hole] = parent
      hole = above
    }
    this.#heap[hole] = due
  }

  #shift(): void {
    const last = this.#heap.pop()
    if (!last || this.#heap.length === 0) return
    let hole = 0
    for (let below = this.#lesserBelow(hole); below; below = this.#lesserBelow(hole)) {
      if (!isBefore(below.due, last)) break
      this.#heap[hole] = below.due
      hole = below.at
    }
    this.#heap[hole] = last
  }

  #lesserBelow(hole: number): { readonly at: number; readonly due: Due<K> } | undefined {
    const left = this.#heap[2 * hole + 1]
    const right = this.#heap[2 * hole + 2]
    if (!left) return undefined
    return right && isBefore(right, left) ? { at: 2 * hole + 2, due: right } : { at: 2 * hole + 1, due: left }
  }

  #sweep(): void {
    if (this.#heap.length <= 2 * this.#due.size + 64) return
    this.#heap = []
    for (const due of this.#due.values()) this.#rise(due)
  }
}

const isBefore = <K>(one: Due<K>, other: Due<K>): boolean =>
  one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.turn < other.turn)
