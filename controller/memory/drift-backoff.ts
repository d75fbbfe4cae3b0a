import type { Timers } from '../../common/program/clock.ts'
import { backoff } from '../runtime/backoff.ts'
import type { Key } from '../runtime/queue.ts'
import { TimedMap } from './timed-map.ts'

/** Two repairs with more time between them are not counted in a row. */
const FORGET_MS = 60_000
const MAX_MS = 60_000

/** After this number of repairs in a row, another client keeps changing the fork. Fewer may be a person's edits. */
const CONTESTED_AFTER = 3

/** The wait after a number of repairs in a row. */
const pauseMs = backoff({ random: () => 0, firstMs: 250, maxMs: MAX_MS })

interface Repairs {
  /** in a row */
  readonly repairs: number
  /** how many of them undid something */
  readonly undone: number
  readonly lastMs: number
}

/** From then on the next repair is the first of another row. */
const forgottenAt = ({ repairs, lastMs }: Repairs): number => lastMs + FORGET_MS + pauseMs(repairs)

/**
 * How long the next repair of a fork has to wait. The first repair is immediate. The wait doubles while another client
 * keeps changing the fork, because two controllers that disagree would otherwise write without end.
 */
export class DriftBackoff {
  readonly #timers: Pick<Timers, 'now'>
  readonly #contestedAfter: number
  readonly #repairs: TimedMap<Key, Repairs>

  /** @param contestedAfter after this number of repairs in a row the fork counts as contested */
  constructor(timers: Pick<Timers, 'now'>, contestedAfter = CONTESTED_AFTER) {
    this.#timers = timers
    this.#contestedAfter = contestedAfter
    this.#repairs = new TimedMap(timers, FORGET_MS + MAX_MS)
  }

  /**
   * Call this when the fork of `key` is repaired. A repair that found nothing to undo also makes the next one wait, but
   * does not count for a contested fork.
   */
  noteRepair(key: Key, isUndone = true): void {
    const now = this.#timers.now()
    this.#repairs.sweep()
    const before = this.#repairs.get(key)
    const isInRow = before !== undefined && now < forgottenAt(before)
    const [repairs, undone] = isInRow ? [before.repairs, before.undone] : [0, 0]
    this.#repairs.set(key, { repairs: repairs + 1, undone: undone + (isUndone ? 1 : 0), lastMs: now })
  }

  /** Milliseconds until repairs of `key` count as over, if there were many in a row; 0 if not. */
  contestedMs(key: Key): number {
    const past = this.#repairs.get(key)
    if (past === undefined || past.undone < this.#contestedAfter) return 0
    return Math.max(0, forgottenAt(past) - this.#timers.now())
  }

  /** Milliseconds until the next repair of `key` may be made; 0 or less: now. */
  waitMs(key: Key): number {
    const past = this.#repairs.get(key)
    return past === undefined ? 0 : past.lastMs + pauseMs(past.repairs) - this.#timers.now()
  }
}

/** The key under which repairs of the twin are counted. */
export const keyOfTwin = (key: Key): Key => `${key}/twin`

/** The key under which repairs of one Service of an experiment are counted. */
export const keyOfPin = (key: Key, service: string): Key => `${key}/${service}`
