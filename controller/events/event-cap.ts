import type { KubeObject } from '../../common/api/object.ts'
import type { Timers } from '../../common/program/clock.ts'

/**
 * The most Events about one object without a wait between them; then one in each interval. The values of client-go.
 */
const BURST = 25
const INTERVAL_MS = 300_000

/** Limits the Events about each object. An object that never settles does not crowd out the Events about others. */
export class EventCap {
  readonly #timers: Pick<Timers, 'now'>
  /** by uid, when the whole burst is available again */
  readonly #restoredMs = new Map<string, number>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** The number of objects that it remembers. */
  get size(): number {
    return this.#restoredMs.size
  }

  /** Whether one more Event about `object` may be sent. If so, it counts. */
  take(object: KubeObject): boolean {
    const now = this.#timers.now()
    const id = regardingId(object)
    const restoredMs = Math.max(now, this.#restoredMs.get(id) ?? now) + INTERVAL_MS
    if (restoredMs - now > BURST * INTERVAL_MS) return false
    this.#restoredMs.set(id, restoredMs)
    return true
  }

  /** Forgets the objects whose whole burst is available again. */
  sweep(): void {
    const now = this.#timers.now()
    for (const [id, restoredMs] of this.#restoredMs) if (restoredMs <= now) this.#restoredMs.delete(id)
  }

  clear(): void {
    this.#restoredMs.clear()
  }
}

/** A name may be used by several objects after each other. */
export const regardingId = ({ kind, metadata: { uid, namespace, name } }: KubeObject): string =>
  uid ?? [kind, namespace, name].join('/')
