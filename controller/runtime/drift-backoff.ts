import type { Timers } from '../../common/program/clock.ts'
import { backoff } from './backoff.ts'
import type { Key } from './queue.ts'

/** Two repairs with more time between them are not counted in a row. */
const FORGET_MS = 60_000
const MAX_MS = 60_000

/** The wait after so many repairs in a row. */
const pauseMs = backoff({ random: () => 0, firstMs: 250, maxMs: MAX_MS })

/**
 * How long the next repair of a fork has to wait. The first repair is immediate. The wait doubles while another client
 * keeps changing the fork, because two controllers that disagree would otherwise write without end.
 */
export class DriftBackoff {
  readonly #timers: Pick<Timers, 'now'>
  readonly #repairs = new Map<Key, { readonly repairs: number; readonly lastMs: number }>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** Call this when the fork of `key` is repaired. */
  noteRepair(key: Key): void {
    const now = this.#timers.now()
    for (const [other, { lastMs }] of this.#repairs) if (now - lastMs > 2 * MAX_MS) this.#repairs.delete(other)
    const before = this.#repairs.get(key)
    const isInRow = before !== undefined && now - before.lastMs < FORGET_MS + pauseMs(before.repairs)
    this.#repairs.set(key, { repairs: isInRow ? before.repairs + 1 : 1, lastMs: now })
  }

  /** Milliseconds until the next repair of `key` may be made; 0 or less: now. */
  waitMs(key: Key): number {
    const past = this.#repairs.get(key)
    return past === undefined ? 0 : past.lastMs + pauseMs(past.repairs) - this.#timers.now()
  }
}
