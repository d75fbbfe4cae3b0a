import { isEqual } from '../common/api/equal.ts'
import type { Cancel, Timers } from '../common/clock.ts'

/** How long an answer is good for: so late, at worst, is a change seen by a pass. */
const KEPT_MS = 60_000

interface MinuteCacheOptions<T> {
  /** asks the API server; undefined where it could not tell now */
  readonly list: (namespace: string) => Promise<T | undefined>
  /** somebody was told something else than is so now */
  readonly changed: (namespace: string) => void
  /** whether a change there is to be noticed though nobody looks; default: of none */
  readonly isWatched?: (namespace: string) => boolean
  readonly timers: Timers
}

interface Entry<T> {
  readonly asked: Promise<T | undefined>
  readonly expire: Cancel
  /** whether somebody was given what was read for another */
  isReused: boolean
}

/**
 * What is asked about namespaces, as of a minute ago at most. A namespace in which nobody looks costs nothing:
 * its entry goes by its own timer. One that was given out again is read once more at its end, so that whoever looked
 * just after a change hears of it; and one that is watched is read every minute.
 */
export class MinuteCache<T> {
  readonly #options: MinuteCacheOptions<T>
  readonly #entries = new Map<string, Entry<T>>()
  #isStopped = false

  constructor(options: MinuteCacheOptions<T>) {
    this.#options = options
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /** About `namespace`; undefined where nobody can tell now, and the next who asks tries again. */
  of(namespace: string): Promise<T | undefined> {
    const known = this.#entries.get(namespace)
    if (!known) return this.#ask(namespace)
    known.isReused = true
    return known.asked
  }

  /** Forgets everything. */
  stop(): void {
    this.#isStopped = true
    for (const { expire } of this.#entries.values()) expire()
    this.#entries.clear()
  }

  #ask(namespace: string): Promise<T | undefined> {
    const { list, timers } = this.#options
    const asked = list(namespace).then((found) => {
      if (found === undefined) this.#forget(namespace, asked)
      return found
    })
    const expire = timers.after(KEPT_MS, () => void this.#expire(namespace))
    this.#entries.set(namespace, { asked, expire, isReused: false })
    return asked
  }

  async #expire(namespace: string): Promise<void> {
    const entry = this.#entries.get(namespace)
    this.#entries.delete(namespace)
    if (!entry || !(entry.isReused || this.#options.isWatched?.(namespace))) return
    const before = await entry.asked
    if (this.#isStopped) return
    const after = await this.#ask(namespace)
    if (!isEqual(before, after)) this.#options.changed(namespace)
  }

  #forget(namespace: string, asked: Promise<unknown>): void {
    const entry = this.#entries.get(namespace)
    if (entry?.asked !== asked) return
    entry.expire()
    this.#entries.delete(namespace)
  }
}
