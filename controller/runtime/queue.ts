import { type Cancel, MAX_DELAY_MS, type Random, type Timers } from '../../common/clock.ts'
import { backoff } from './backoff.ts'
import { DueTimes } from './due-times.ts'
import { FairLine } from './fair-line.ts'

/** `namespace/name` */
export type Key = string

export interface KeyQueueOptions {
  readonly timers: Timers
  readonly random: Random
}

/**
 * Keys that want a look. No key is worked on twice at once; none is lost while it is worked on.
 *
 * A key is *dirty* from `add` until a worker gets it, *processing* from then until `done`; while it is both, it waits
 * outside the line and enters it with `done`. Besides it may have one time at which it is added.
 */
export class KeyQueue {
  readonly #timers: Timers
  readonly #delayMs: (failures: number) => number
  readonly #dirty = new Set<Key>()
  readonly #processing = new Set<Key>()
  readonly #line = new FairLine() // dirty, and not processing
  readonly #idle: ((key: Key | undefined) => void)[] = [] // workers waiting in `get`
  readonly #later = new DueTimes<Key>()
  readonly #failures = new Map<Key, number>() // in a row
  #alarm: { readonly dueMs: number; readonly cancel: Cancel } | undefined
  #isShutDown = false

  constructor({ timers, random }: KeyQueueOptions) {
    this.#timers = timers
    this.#delayMs = backoff({ random })
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#line.size
  }

  /** Entries of every map in here; 0 once all keys came and went. */
  get held(): number {
    return this.#dirty.size + this.#processing.size + this.#later.size + this.#failures.size
  }

  /** Asks for a look at `key`, once however often it is asked for before a worker takes it. */
  add(key: Key): void {
    if (this.#isShutDown || this.#dirty.has(key)) return
    this.#dirty.add(key)
    if (!this.#processing.has(key)) this.#line.push(key)
    this.#handOut()
  }

  /** As `add`, in `delayMs`; of several times the earliest counts, which folds a burst into one look. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#isShutDown) return
    if (delayMs <= 0) this.add(key)
    else this.#later.put(key, this.#timers.now() + delayMs)
    this.#arm()
  }

  /** As `addAfter`, waiting longer with each failure in a row, and `atLeastMs`. Returns how many there are now. */
  retry(key: Key, atLeastMs = 0): number {
    if (this.#isShutDown) return 0
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    this.addAfter(key, Math.max(atLeastMs, this.#delayMs(failures)))
    return failures
  }

  /** The last look at `key` did not fail. */
  succeed(key: Key): void {
    this.#failures.delete(key)
  }

  /** What is known of `key` no longer matters, its object is gone: neither failures nor a time remain. */
  forget(key: Key): void {
    this.#failures.delete(key)
    this.#later.delete(key)
    this.#arm()
  }

  /** The next key, as soon as there is one; undefined after `shutdown`. Every key must be given back with `done`. */
  get(): Promise<Key | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#handOut()
    })
  }

  /** The look at `key` is over; if it was asked for meanwhile, it waits for the next one. */
  done(key: Key): void {
    if (!this.#processing.delete(key) || !this.#dirty.has(key)) return
    this.#line.push(key)
    this.#handOut()
  }

  /** No more keys, no more timers; what is added from now on is dropped. */
  shutdown(): void {
    this.#isShutDown = true
    this.#dirty.clear()
    this.#line.clear()
    this.#later.clear()
    this.#failures.clear()
    this.#arm()
    for (const leave of this.#idle.splice(0)) leave(undefined)
  }

  #handOut(): void {
    while (this.#line.size > 0) {
      const worker = this.#idle.shift()
      if (!worker) return
      const key = this.#line.shift()
      if (key === undefined) return
      this.#dirty.delete(key)
      this.#processing.add(key)
      worker(key)
    }
  }

  /** One timer, for whatever is due first. */
  #arm(): void {
    const dueMs = this.#later.next
    if (this.#alarm?.dueMs === dueMs) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (dueMs === undefined) return
    const delayMs = Math.min(MAX_DELAY_MS, Math.max(0, dueMs - this.#timers.now()))
    this.#alarm = { dueMs, cancel: this.#timers.after(delayMs, () => this.#ring()) }
  }

  #ring(): void {
    this.#alarm = undefined
    for (const key of this.#later.take(this.#timers.now())) this.add(key)
    this.#arm()
  }
}
