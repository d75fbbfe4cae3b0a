import type { Cancel, Timers } from '../../common/program/clock.ts'
import { DueTimes } from '../runtime/due-times.ts'
import { namespaceOf } from '../runtime/fair-line.ts'
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

/**
 * Wakes experiments for changes that can wait, at a limited rate for the whole process. Namespaces take turns, so that
 * one with thousands of experiments does not delay those of others.
 */
export class PacedWakeups {
  readonly #queue: Pick<KeyQueue, 'add'>
  readonly #timers: Timers
  /** for each namespace, its waiting keys with their earliest times; a namespace that had its turn goes last */
  readonly #lines = new Map<string, DueTimes<Key>>()
  #lastMs = Number.NEGATIVE_INFINITY
  #cancel: Cancel | undefined
  /** for which time the timer is set */
  #dueMs = Number.POSITIVE_INFINITY
  #isStopped = false

  constructor(queue: Pick<KeyQueue, 'add'>, timers: Timers) {
    this.#queue = queue
    this.#timers = timers
  }

  /** How many keys wait. */
  get size(): number {
    return this.#lines.values().reduce((sum, line) => sum + line.size, 0)
  }

  /**
   * Wakes `keys` one after the other, in their order. A key that waits for its turn already keeps the earlier one.
   * @param restMs milliseconds before which it is not the turn of a key, if these are more than a few seconds
   */
  wake(keys: Iterable<Key>, restMs: (key: Key) => number = () => 0): void {
    if (this.#isStopped) return
    const now = this.#timers.now()
    for (const key of keys) {
      const namespace = namespaceOf(key)
      const line = this.#lines.get(namespace) ?? new DueTimes<Key>()
      this.#lines.set(namespace, line)
      line.put(key, now + Math.max(COALESCE_MS, restMs(key)))
    }
    this.#arm()
  }

  /** Gives up the turn of `key`: it is gone, or a pass begins that will read what has changed. */
  forget(key: Key): void {
    const namespace = namespaceOf(key)
    const line = this.#lines.get(namespace)
    line?.delete(key)
    if (line?.size === 0) this.#lines.delete(namespace)
  }

  /** Wakes nothing any more. */
  stop(): void {
    this.#isStopped = true
    this.#lines.clear()
    this.#cancel?.()
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    const earliestMs = Math.min(...this.#lines.values().map(({ next }) => next ?? Number.POSITIVE_INFINITY))
    if (earliestMs >= this.#dueMs) return
    this.#cancel?.()
    this.#dueMs = earliestMs
    const atMs = Math.max(earliestMs, this.#lastMs + INTERVAL_MS)
    this.#cancel = this.#timers.after(atMs - this.#timers.now(), () => this.#next())
  }

  #next(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
    const now = this.#timers.now()
    // the key for which the timer was set may have given up its turn
    for (const [namespace, line] of this.#lines) {
      const key = line.shift(now)
      if (key === undefined) continue
      this.#lastMs = now
      this.#lines.delete(namespace)
      if (line.size > 0) this.#lines.set(namespace, line)
      this.#queue.add(key)
      break
    }
    this.#arm()
  }
}
