import type { Timers } from '../../common/clock.ts'
import type { Key } from './queue.ts'

/** Repairs that far apart have nothing to do with each other. */
const FORGET_MS = 60_000
const FIRST_MS = 250
const MAX_MS = 60_000

interface Fight {
  readonly repairs: number
  readonly lastMs: number
}

/**
 * How long a repair has to wait. The first is immediate; somebody who fights back is met ever more slowly, or two
 * controllers with two opinions would keep the API server busy for good.
 */
export class RepairPace {
  readonly #timers: Pick<Timers, 'now'>
  readonly #fights = new Map<Key, Fight>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** A repair of the fork of `key` is being made. */
  note(key: Key): void {
    const now = this.#timers.now()
    for (const [other, { lastMs }] of this.#fights) if (now - lastMs > 2 * MAX_MS) this.#fights.delete(other)
    const before = this.#fights.get(key)
    const goesOn = before !== undefined && now - before.lastMs < FORGET_MS + pauseMs(before.repairs)
    this.#fights.set(key, { repairs: goesOn ? before.repairs + 1 : 1, lastMs: now })
  }

  /** Milliseconds until the next repair of `key` may be made; 0 or less: now. */
  waitMs(key: Key): number {
    const fight = this.#fights.get(key)
    return fight === undefined ? 0 : fight.lastMs + pauseMs(fight.repairs) - this.#timers.now()
  }
}

const pauseMs = (repairs: number): number => (repairs === 0 ? 0 : Math.min(MAX_MS, FIRST_MS * 2 ** (repairs - 1)))
