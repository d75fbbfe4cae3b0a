import type { Timers } from '../../common/program/clock.ts'
import type { Key, KeyQueue } from '../runtime/queue.ts'

/**
 * Milliseconds within which many changes of a neighbour cause one pass. Otherwise a rolling update of a large source, or
 * of the other pods of a Service, would cause a pass of every follower for every pod.
 */
export const COALESCE_MS = 5_000

/** 20 passes in a second at most, so that one pod of a source with a thousand forks does not cause a thousand at once. */
const INTERVAL_MS = 50

/** Wakes experiments for changes that can wait, at a limited rate for the whole process. */
export class PacedWakeups {
  readonly #queue: Pick<KeyQueue, 'addAfter'>
  readonly #timers: Pick<Timers, 'now'>
  readonly #dueMs = new Map<Key, number>()
  #lastDueMs = Number.NEGATIVE_INFINITY

  constructor(queue: Pick<KeyQueue, 'addAfter'>, timers: Pick<Timers, 'now'>) {
    this.#queue = queue
    this.#timers = timers
  }

  /** How many entries its map has; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#dueMs.size
  }

  /** Wakes `keys` one after the other, in their order. A key that waits for its turn already keeps it. */
  wake(keys: Iterable<Key>): void {
    const now = this.#timers.now()
    for (const key of keys) {
      if (this.isWaiting(key)) continue
      this.#lastDueMs = Math.max(now + COALESCE_MS, this.#lastDueMs + INTERVAL_MS)
      this.#dueMs.set(key, this.#lastDueMs)
      this.#queue.addAfter(key, this.#lastDueMs - now)
    }
  }

  /** Whether `key` will be woken later anyway. */
  isWaiting(key: Key): boolean {
    return (this.#dueMs.get(key) ?? Number.NEGATIVE_INFINITY) > this.#timers.now()
  }

  /** The experiment is gone. */
  forget(key: Key): void {
    this.#dueMs.delete(key)
  }
}
