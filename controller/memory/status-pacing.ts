import type { Timers } from '../../common/program/clock.ts'
import type { Key } from '../runtime/queue.ts'
import { TimedMap } from './timed-map.ts'
import { TurnCalendar } from './turn-calendar.ts'

/** One ready pod may change the shares of many forks. */
const SHARE_INTERVAL_MS = 10_000
/** With many forks the process writes 20 statuses in a second, but each within a minute. */
const SHARE_SPACING_MS = 50
const MAX_SHARE_INTERVAL_MS = 50_000
/** What is older decides nothing any more. */
const MEMORY_MS = 60_000
/** The least time for which new numbers of a fork that is not ready wait: its next status may say that it is ready. */
const PROGRESS_MS = 5_000

/**
 * Limits how often a status is written if only shares or numbers of pods changed. It uses a monotonic clock: the
 * timestamps of the API server are from another clock, which may be hours ahead.
 */
export class StatusPacing {
  readonly #timers: Pick<Timers, 'now'>
  /** the last writes of this process */
  readonly #writtenMs: TimedMap<Key, number>
  /** since when the progress of a fork waits */
  readonly #progressMs: TimedMap<Key, number>
  readonly #turns = new TurnCalendar()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
    this.#writtenMs = new TimedMap(timers, MEMORY_MS)
    this.#progressMs = new TimedMap(timers, MEMORY_MS)
  }

  /** How many keys it remembers. For tests. */
  get size(): number {
    return this.#writtenMs.size + this.#progressMs.size + this.#turns.size
  }

  /** Call this after the status of `key` was written. */
  noteWrite(key: Key): void {
    this.#progressMs.delete(key)
    this.#turns.forget(key, this.#timers.now())
    this.#note(this.#writtenMs, key)
  }

  /** Call this when the status of `key` is as it should be, so that nothing waits. */
  noteCurrent(key: Key): void {
    this.#turns.forget(key, this.#timers.now())
  }

  /** Forgets an experiment that is gone. */
  forget(key: Key): void {
    this.#writtenMs.delete(key)
    this.#progressMs.delete(key)
    this.#turns.forget(key, this.#timers.now())
  }

  /**
   * Milliseconds until a status of `key` that differs only in shares may be written; 0 or less: now. The more statuses
   * were written in the last minute, the longer it is: otherwise N forks that start one after the other would be
   * written N times. Keys that may be written at the same time get their turns in the order in which they ask.
   */
  waitMs(key: Key): number {
    const now = this.#timers.now()
    return this.#turns.turnMs(key, { now, notBefore: now + this.restMs(key) }) - now
  }

  /** Milliseconds before which a status of `key` that differs only in shares gets no turn; 0 or less: now. */
  restMs(key: Key): number {
    return this.#untilMs(this.#writtenMs, key, Math.max(SHARE_INTERVAL_MS, this.#spacedMs()))
  }

  /** As `waitMs`, for a fork that is not ready yet. It counts from the first call since the last write. */
  progressWaitMs(key: Key): number {
    if (this.#progressMs.get(key) === undefined) this.#note(this.#progressMs, key)
    return this.#untilMs(this.#progressMs, key, Math.max(PROGRESS_MS, this.#spacedMs()))
  }

  /** A wait in which all statuses of the last minute could be written again, at most a minute. */
  #spacedMs(): number {
    return Math.min(MAX_SHARE_INTERVAL_MS, SHARE_SPACING_MS * this.#writtenMs.size)
  }

  #note(times: TimedMap<Key, number>, key: Key): void {
    times.sweep()
    times.set(key, this.#timers.now())
  }

  #untilMs(times: TimedMap<Key, number>, key: Key, intervalMs: number): number {
    const notedMs = times.get(key)
    return notedMs === undefined ? 0 : notedMs + intervalMs - this.#timers.now()
  }
}
