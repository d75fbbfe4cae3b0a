import { isEqual } from '../json/json.ts'
import type { Cancel, Timers } from './clock.ts'
import { ReadCache } from './read-cache.ts'

/** How long a value is kept, and so the longest delay until a caller sees a change. */
const KEPT_MS = 60_000

interface RefreshingCacheOptions<T> {
  /** undefined if the value cannot be read now; what it throws, the callers get, and nothing is kept */
  readonly read: (key: string) => Promise<T | undefined>
  /** whether a failed read is kept for the minute too; default: the next caller reads again */
  readonly keepsUnread?: boolean
  /** called when a caller was given a value that is no longer the current one */
  readonly changed: (key: string) => void
  /** whether `key` is read every minute although nobody asks for it; default: no key is */
  readonly isWatched?: (key: string) => boolean
  readonly timers: Timers
}

interface Expiry {
  readonly cancel: Cancel
  /** when the reading of the value began */
  readonly startedMs: number
  /** whether a caller was given the value that was read for another caller */
  isReused: boolean
  /** whether the value could not be read */
  isUnread: boolean
}

/**
 * Keeps what was read by key for a minute. A key that nobody asks for costs nothing: it expires by its own timer. A
 * value that was given to several callers is read once more when it expires, so that those who asked just before a
 * change learn of it. A watched key is read every minute.
 */
export class RefreshingCache<T> {
  readonly #options: RefreshingCacheOptions<T>
  readonly #readings = new ReadCache<T | undefined>()
  readonly #expiries = new Map<string, Expiry>()
  #isStopped = false

  constructor(options: RefreshingCacheOptions<T>) {
    this.#options = options
  }

  /** How many keys are being read or are kept. */
  get size(): number {
    return this.#readings.size
  }

  /**
   * Returns the value of `key`, whose reading began at most `maxAgeMs` ago; undefined if it cannot be read now.
   * @throws what `read` throws
   */
  of(key: string, maxAgeMs = KEPT_MS): Promise<T | undefined> {
    const expiry = this.#expiries.get(key)
    if (expiry && this.#options.timers.now() - expiry.startedMs > maxAgeMs) return this.#renew(key, expiry)
    if (expiry) expiry.isReused = true
    return this.#read(key)
  }

  /** Forgets everything and reads nothing more without a caller. */
  stop(): void {
    this.#isStopped = true
    for (const { cancel } of this.#expiries.values()) cancel()
    this.#expiries.clear()
    this.#readings.clear()
  }

  #read(key: string): Promise<T | undefined> {
    return this.#readings.of(key, async () => {
      const cancel = this.#options.timers.after(KEPT_MS, () => void this.#expire(key))
      const expiry = { cancel, startedMs: this.#options.timers.now(), isReused: false, isUnread: false }
      this.#expiries.set(key, expiry)
      let isLasting = false
      try {
        const value = await this.#options.read(key)
        expiry.isUnread = value === undefined
        isLasting = value !== undefined || this.#options.keepsUnread === true
        return { value, isLasting }
      } finally {
        if (!isLasting) this.#removeExpiry(key, expiry)
      }
    })
  }

  /** Reads a value again before it expires. Those who asked before learn of a change as they do when it expires. */
  async #renew(key: string, { cancel, isReused }: Expiry): Promise<T | undefined> {
    cancel()
    this.#expiries.delete(key)
    const before = this.#readings.forget(key)
    const after = await this.#read(key)
    const isWatched = isReused || this.#options.isWatched?.(key) === true
    if (isWatched && !this.#isStopped && !isEqual(await before?.catch(unread), after)) this.#options.changed(key)
    return after
  }

  async #expire(key: string): Promise<void> {
    const expiry = this.#expiries.get(key)
    const expired = this.#readings.forget(key)
    this.#expiries.delete(key)
    if (expiry?.isUnread || !(expiry?.isReused || this.#options.isWatched?.(key))) return
    const before = await expired?.catch(unread)
    if (this.#isStopped) return
    const after = await this.#read(key).catch(unread)
    if (!isEqual(before, after)) this.#options.changed(key)
  }

  #removeExpiry(key: string, expiry: Expiry): void {
    expiry.cancel()
    if (this.#expiries.get(key) === expiry) this.#expiries.delete(key)
  }
}

/** A failure without a caller: it is reported as a change, and the next caller reads again and gets it. */
const unread = (): undefined => undefined
