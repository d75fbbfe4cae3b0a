interface Due<K> {
  readonly key: K
  readonly dueMs: number
}

/** When keys are due: a binary heap, earliest first, with one time per key. */
export class DueTimes<K> {
  readonly #dueMs = new Map<K, number>()
  #heap: Due<K>[] = [] // what the map no longer says is skipped, and swept when it is most of the heap

  get size(): number {
    return this.#dueMs.size
  }

  /** Milliseconds of the clock that `put` was called with; undefined if nothing is due. */
  get next(): number | undefined {
    return this.#first()?.dueMs
  }

  /** The earlier time wins over what was put before. */
  put(key: K, dueMs: number): void {
    if (dueMs >= (this.#dueMs.get(key) ?? Number.POSITIVE_INFINITY)) return
    this.#dueMs.set(key, dueMs)
    this.#rise({ key, dueMs })
    this.#sweep()
  }

  delete(key: K): void {
    this.#dueMs.delete(key)
    this.#sweep()
  }

  clear(): void {
    this.#dueMs.clear()
    this.#heap = []
  }

  /** The keys due by `nowMs`, the longest due first; they are in here no more. */
  take(nowMs: number): readonly K[] {
    const keys: K[] = []
    for (let first = this.#first(); first && first.dueMs <= nowMs; first = this.#first()) {
      this.#dueMs.delete(first.key)
      keys.push(first.key)
    }
    return keys
  }

  /** The earliest that still counts. */
  #first(): Due<K> | undefined {
    let first = this.#heap[0]
    while (first && this.#dueMs.get(first.key) !== first.dueMs) {
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
      if (!parent || parent.dueMs <= due.dueMs) break
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
      if (below.due.dueMs >= last.dueMs) break
      this.#heap[hole] = below.due
      hole = below.at
    }
    this.#heap[hole] = last
  }

  #lesserBelow(hole: number): { readonly at: number; readonly due: Due<K> } | undefined {
    const left = this.#heap[2 * hole + 1]
    const right = this.#heap[2 * hole + 2]
    if (!left) return undefined
    return right && right.dueMs < left.dueMs ? { at: 2 * hole + 2, due: right } : { at: 2 * hole + 1, due: left }
  }

  #sweep(): void {
    if (this.#heap.length <= 2 * this.#dueMs.size + 64) return
    this.#heap = []
    for (const [key, dueMs] of this.#dueMs) this.#rise({ key, dueMs })
  }
}
