import type { KubeObject } from '../../common/api/object.ts'
import { type Cancel, MAX_DELAY_MS, type Random, type Timers } from '../../common/program/clock.ts'
import { backoff } from './backoff.ts'
import { DueTimes } from './due-times.ts'
import { FairLine } from './fair-line.ts'

/** `namespace/name` */
export type Key = string

/** The `namespace/name` of an object: the key of an experiment. */
export const keyOf = ({ metadata }: Pick<KubeObject, 'metadata'>): Key => `${metadata.namespace}/${metadata.name}`

/** Called for what happens in the queue. For metrics. */
export interface QueueObserver {
  readonly added: () => void
  readonly retried: () => void
  /** a worker got a key that was added `seconds` before */
  readonly waited: (seconds: number) => void
}

interface Failures {
  readonly inRow: number
  /** no pass before this time */
  readonly retryAtMs: number
}

interface KeyQueueOptions {
  readonly timers: Timers
  readonly random: Random
  readonly observer: QueueObserver
}

/** What limits the keys that are handed out: a key gets a worker only with a slot. */
export interface Slots {
  readonly mayTake: (key: Key) => boolean
  readonly take: (key: Key) => void
}

/** A worker that waits in `get`. */
interface Idle {
  readonly slots: Slots
  readonly resolve: (key: Key | undefined) => void
}

const UNLIMITED: Slots = { mayTake: () => true, take: () => undefined }

/** Of a queue that no metric shows. */
export const NO_OBSERVER: QueueObserver = { added: () => undefined, retried: () => undefined, waited: () => undefined }

/**
 * The work queue: keys that need a pass. Two workers never have the same key, and a key that is added during its pass
 * is not lost.
 *
 * A key is *dirty* from `add` until a worker gets it, and *processing* from then until `done`. While it is both, it is
 * not in the line; `done` puts it there. A key may also have one later time at which it is added.
 *
 * A key whose last pass failed waits for its retry. Events do not make it earlier, because the writes of a failing pass
 * may cause events themselves.
 */
export class KeyQueue {
  readonly #timers: Timers
  readonly #delayMs: (failures: number) => number
  readonly #observer: QueueObserver
  readonly #dirty = new Map<Key, number>() // when each was added
  readonly #processing = new Set<Key>()
  readonly #changed = new Set<Key>() // keys in processing whose experiment has changed since their pass began
  readonly #line = new FairLine() // keys that are dirty and not processing
  readonly #first = new FairLine() // such keys that go before the others
  readonly #idle: Idle[] = []
  readonly #later = new DueTimes<Key>()
  readonly #failures = new Map<Key, Failures>()
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined
  #isPaused = false
  #isShutDown = false

  constructor({ timers, random, observer }: KeyQueueOptions) {
    this.#observer = observer
    this.#timers = timers
    this.#delayMs = backoff({ random })
  }

  /** The number of keys that wait for a worker. */
  get depth(): number {
    return this.#first.size + this.#line.size
  }

  /** How many entries all its maps have; 0 when no key is left. For tests. */
  get entryCount(): number {
    const sets = [this.#dirty, this.#processing, this.#changed, this.#later, this.#failures]
    return sets.reduce((count, { size }) => count + size, 0)
  }

  /**
   * Requests a pass for `key`, after its retry if the last one failed. Requests before a worker takes the key are one
   * request.
   */
  add(key: Key): void {
    this.#admit(key)
    this.handOut()
  }

  /** Like `add`, after `delayMs`. The earliest of several times counts, so a burst of events causes one pass. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#isShutDown) return
    if (delayMs <= 0) this.add(key)
    else this.#later.put(key, this.#timers.now() + delayMs)
    this.#setTimer()
  }

  /** Requests a pass for `key` at once, whatever failed before, because the experiment itself changed. */
  addChanged(key: Key): void {
    this.#failures.delete(key)
    this.add(key)
    if (this.#processing.has(key)) this.#changed.add(key)
  }

  /**
   * Ends the pass of `key` as failed: the next one is made after a backoff, at least `atLeastMs`, that grows with each
   * failure. Returns the failures in a row.
   */
  retry(key: Key, atLeastMs = 0): number {
    if (this.#isShutDown) return 0
    const inRow = (this.#failures.get(key)?.inRow ?? 0) + 1
    const delayMs = Math.max(atLeastMs, this.#delayMs(inRow))
    this.#failures.set(key, { inRow, retryAtMs: this.#timers.now() + delayMs })
    this.#observer.retried()
    // The pass may have caused the events that arrived during it. A change of the experiment is of another client.
    if (this.#processing.has(key) && !this.#changed.has(key)) this.#dirty.delete(key)
    this.addAfter(key, delayMs)
    return inRow
  }

  /** Resets the backoff of `key`, because its last pass did not fail. */
  succeed(key: Key): void {
    this.#failures.delete(key)
  }

  /** Drops the later time of `key`: a pass begins that sees what it was for, and says when the next one is due. */
  forgetLater(key: Key): void {
    this.#later.delete(key)
    this.#setTimer()
  }

  /** Drops the failures and the later time of `key`, because its object is gone. */
  forget(key: Key): void {
    this.#failures.delete(key)
    this.#later.delete(key)
    this.#setTimer()
  }

  /**
   * Resolves to the next key that gets one of `slots`, when there is one; to undefined after `shutdown`. Call `done`
   * for every key, and `handOut` when slots become free.
   */
  get(slots = UNLIMITED): Promise<Key | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#idle.push({ slots, resolve })
      this.handOut()
    })
  }

  /** Whether a worker that calls `get` now gets a key at once. */
  hasKeyFor(slots: Slots): boolean {
    const mayTake = (key: Key) => slots.mayTake(key)
    return !this.#isPaused && (this.#first.peek(mayTake) ?? this.#line.peek(mayTake)) !== undefined
  }

  /** Ends the pass of `key`. If `key` was added meanwhile, it waits for a worker again. */
  done(key: Key): void {
    this.#changed.delete(key)
    if (!this.#processing.delete(key) || !this.#dirty.has(key)) return
    this.#line.push(key)
    this.handOut()
  }

  /** Hands out the keys that get a slot to the workers that wait. */
  handOut(): void {
    for (let worker = this.#idle[0]; worker && !this.#isPaused; worker = this.#idle[0]) {
      const { slots, resolve } = worker
      const mayTake = (key: Key) => slots.mayTake(key)
      const key = this.#first.shift(mayTake) ?? this.#line.shift(mayTake)
      if (key === undefined) return
      this.#idle.shift()
      this.#observer.waited((this.#timers.now() - (this.#dirty.get(key) ?? 0)) / 1_000)
      this.#dirty.delete(key)
      this.#processing.add(key)
      slots.take(key)
      resolve(key)
    }
  }

  /** Hands out no keys until `resume`. */
  pause(): void {
    this.#isPaused = true
  }

  /** Hands out keys again. Adds those in `first`, without the rest of their backoff; they go before the others. */
  resume(first: Iterable<Key>): void {
    this.#isPaused = false
    for (const key of first) {
      this.#later.delete(key)
      const { inRow } = this.#failures.get(key) ?? { inRow: 0 }
      if (inRow > 0) this.#failures.set(key, { inRow, retryAtMs: 0 })
      this.#admit(key, this.#first)
    }
    this.#setTimer()
    this.handOut()
  }

  /** Hands out no more keys, stops all timers and ignores every later `add`. */
  shutdown(): void {
    this.#isShutDown = true
    this.#dirty.clear()
    this.#changed.clear()
    this.#line.clear()
    this.#first.clear()
    this.#later.clear()
    this.#failures.clear()
    this.#setTimer()
    for (const { resolve } of this.#idle.splice(0)) resolve(undefined)
  }

  #admit(key: Key, line = this.#line): void {
    if (this.#isShutDown || this.#dirty.has(key)) return
    const now = this.#timers.now()
    const { retryAtMs } = this.#failures.get(key) ?? { retryAtMs: now }
    if (retryAtMs > now) {
      this.#later.put(key, retryAtMs)
      this.#setTimer()
      return
    }
    this.#dirty.set(key, now)
    this.#observer.added()
    if (!this.#processing.has(key)) line.push(key)
  }

  /** Sets the one timer for the time that is due first. */
  #setTimer(): void {
    const dueMs = this.#later.next
    if (this.#timer?.dueMs === dueMs) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (dueMs === undefined) return
    const delayMs = Math.min(MAX_DELAY_MS, Math.max(0, dueMs - this.#timers.now()))
    this.#timer = { dueMs, cancel: this.#timers.after(delayMs, () => this.#onTimer()) }
  }

  #onTimer(): void {
    this.#timer = undefined
    // All of them first: handed out one by one, those of the first namespace would get all waiting workers.
    for (const key of this.#later.take(this.#timers.now())) this.#admit(key)
    this.handOut()
    this.#setTimer()
  }
}
