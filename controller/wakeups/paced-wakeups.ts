import type { Cancel, Timers } from '../../common/program/clock.ts'
import type { Key, KeyQueue } from '../runtime/queue.ts'

/**
 * Milliseconds within which many changes of a neighbour cause one pass. Otherwise a rolling update of a large source,
 * or of the other pods of a Service, would cause a pass of every follower for every pod.
 */
export const COALESCE_MS = 5_000

/**
 * 20 passes in a second at most, so that one pod of a source with a thousand forks does not cause a thousand at once.
 */
const INTERVAL_MS = 50

/** Wakes experiments for changes that can wait, at a limited rate for the whole process. */
export class PacedWakeups {
  readonly #queue: Pick<KeyQueue, 'add'>
  readonly #timers: Timers
  /** the earliest time of each key that waits, in the order of their turns */
  readonly #line = new Map<Key, number>()
  #lastMs = Number.NEGATIVE_INFINITY
  #cancel: Cancel | undefined
  #isStopped = false

  constructor(queue: Pick<KeyQueue, 'add'>, timers: Timers) {
    this.#queue = queue
    this.#timers = timers
  }

  /** How many keys wait. */
  get size(): number {
    return this.#line.size
  }

  /** Wakes `keys` one after the other, in their order. A key that waits for its turn already keeps it. */
  wake(keys: Iterable<Key>): void {
    if (this.#isStopped) return
    const earliestMs = this.#timers.now() + COALESCE_MS
    for (const key of keys) if (!this.#line.has(key)) this.#line.set(key, earliestMs)
    this.#arm()
  }

  /** Whether `key` will be woken later anyway. */
  isWaiting(key: Key): boolean {
    return this.#line.has(key)
  }

  /** Gives up the turn of `key`: it is gone, or a pass begins that will read what has changed. */
  forget(key: Key): void {
    this.#line.delete(key)
  }

  /** Wakes nothing any more. */
  stop(): void {
    this.#isStopped = true
    this.#line.clear()
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    const [earliestMs] = this.#line.values()
    if (earliestMs === undefined || this.#cancel) return
    const dueMs = Math.max(earliestMs, this.#lastMs + INTERVAL_MS)
    this.#cancel = this.#timers.after(dueMs - this.#timers.now(), () => this.#next())
  }

  #next(): void {
    this.#cancel = undefined
    const now = this.#timers.now()
    const [first] = this.#line
    // the key for which the timer was set may have given up its turn
    if (first && first[1] <= now) {
      this.#lastMs = now
      this.#line.delete(first[0])
      this.#queue.add(first[0])
    }
    this.#arm()
  }
}
