import type { Key } from '../runtime/queue.ts'

/** The length of a turn: 18 in a second, which leaves room for late writes and for those that need no turn. */
const TURN_MS = 54
/** The longest wait for a turn, from the first time that a key asks, so that each key has one within a minute. */
const LAST_TURN_MS = 55_000
/** How long a turn is kept that nobody used. */
const KEPT_MS = 60_000

/** What a key asks for, on one monotonic clock. */
export interface TurnRequest {
  readonly now: number
  /** the first time at which the turn may be */
  readonly notBefore: number
}

interface Turn {
  readonly timeMs: number
  /** if the key must wait longer, its next turn is not later than this */
  readonly lastMs: number
}

/**
 * Gives each key a time of its own. If more keys wait than there are turns in 55 s, several keys have the same turn, in
 * equal parts.
 */
export class TurnCalendar {
  readonly #turns = new Map<Key, Turn>()
  /** how many keys have each turn that is not over, by its number: turn N begins at N times `TURN_MS` */
  readonly #taken = new Map<number, number>()
  #current = Number.NEGATIVE_INFINITY

  /** How many turns it remembers. For tests. */
  get size(): number {
    return this.#turns.size
  }

  /**
   * When it is the turn of `key`: the first free time from `notBefore` on. A key keeps its turn until it is forgotten,
   * unless it must now wait longer.
   */
  turnMs(key: Key, { now, notBefore }: TurnRequest): number {
    this.#forgetOld(now)
    const known = this.#turns.get(key)
    if (known && (notBefore <= now || notBefore <= known.timeMs)) return known.timeMs
    this.forget(key, now)
    const { lastMs } = known ?? { lastMs: now + LAST_TURN_MS }
    const fromMs = Math.max(now, notBefore)
    const turn = this.#leastTaken(turnAt(fromMs), turnAt(lastMs))
    const timeMs = Math.max(fromMs, turn * TURN_MS)
    this.#taken.set(turn, (this.#taken.get(turn) ?? 0) + 1)
    this.#turns.set(key, { timeMs, lastMs })
    return timeMs
  }

  /** Call this after `key` has used its turn, or does not need it any more. Others may have it if it has not begun. */
  forget(key: Key, now: number): void {
    const known = this.#turns.get(key)
    if (!known) return
    this.#turns.delete(key)
    const turn = turnAt(known.timeMs)
    if (turn <= turnAt(now)) return
    const others = (this.#taken.get(turn) ?? 0) - 1
    if (others > 0) this.#taken.set(turn, others)
    else this.#taken.delete(turn)
  }

  /** The first free turn of these, or else the first one of those that the fewest keys have. */
  #leastTaken(first: number, last: number): number {
    let [found, fewest] = [first, Number.POSITIVE_INFINITY]
    for (let turn = first; turn <= last && fewest > 0; turn += 1) {
      const count = this.#taken.get(turn) ?? 0
      if (count < fewest) [found, fewest] = [turn, count]
    }
    return found
  }

  /** Forgets the turns that are over and, later, the keys that did not use them. */
  #forgetOld(now: number): void {
    const current = turnAt(now)
    if (current === this.#current) return
    this.#current = current
    for (const turn of this.#taken.keys()) if (turn < current) this.#taken.delete(turn)
    for (const [key, { timeMs }] of this.#turns) if (timeMs < now - KEPT_MS) this.#turns.delete(key)
  }
}

const turnAt = (timeMs: number): number => Math.floor(timeMs / TURN_MS)
