import type { Timers } from '../../common/program/clock.ts'
import type { Key } from './queue.ts'

/** One ready pod may change the shares of many forks. */
const SHARE_INTERVAL_MS = 10_000
/** Each repair of a fork that another client scales starts and ends pods. */
const POD_INTERVAL_MS = 60_000

/**
 * When a status may be written in which only shares, or only numbers of pods changed. It counts from the last status write of this process on a monotonic clock: the
 * timestamps of the API server are from another clock, which may be hours ahead.
 */
export class SharePace {
  readonly #timers: Pick<Timers, 'now'>
  /** the last writes, in their order, without those that no longer matter */
  readonly #writtenMs = new Map<Key, number>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** How many keys it remembers. For tests. */
  get size(): number {
    return this.#writtenMs.size
  }

  /** Call this after the status of `key` was written. */
  noteWrite(key: Key): void {
    const now = this.#timers.now()
    for (const [other, writtenMs] of this.#writtenMs) {
      if (now - writtenMs < POD_INTERVAL_MS) break
      this.#writtenMs.delete(other)
    }
    this.#writtenMs.delete(key)
    this.#writtenMs.set(key, now)
  }

  /** Milliseconds until a status of `key` that differs only in shares may be written; 0 or less: now. */
  waitMs(key: Key): number {
    return this.#untilMs(key, SHARE_INTERVAL_MS)
  }

  /** As `waitMs`, for a status of a contested fork that differs only in numbers of pods. */
  podsWaitMs(key: Key): number {
    return this.#untilMs(key, POD_INTERVAL_MS)
  }

  #untilMs(key: Key, intervalMs: number): number {
    const writtenMs = this.#writtenMs.get(key)
    return writtenMs === undefined ? 0 : writtenMs + intervalMs - this.#timers.now()
  }
}
