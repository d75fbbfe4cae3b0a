import type { Timers } from '../../common/program/clock.ts'
import { backoff } from '../runtime/backoff.ts'

/** The time between two sweeps: after the first failure, the next sweep tries again. */
const FIRST_MS = 30_000
/** A lasting fault costs one try a minute, and the end of a fault is noticed after that time. */
const MAX_MS = 60_000
/** A timer may run a little before its time. A sweep then still finds what is due. */
const EARLY_MS = 1_000

/** The wait after several failures in a row. A sweep makes its tries one after the other, so they need no jitter. */
const pauseMs = backoff({ random: () => 0, firstMs: FIRST_MS, maxMs: MAX_MS })

interface Failures {
  readonly inRow: number
  readonly dueMs: number
}

/**
 * When something that failed in a sweep is tried again. A sweep looks at everything every 30 s, which would send and
 * log the same for as long as a fault lasts. The wait after a failure doubles up to a minute, until a success.
 */
export class Retries {
  readonly #timers: Pick<Timers, 'now'>
  readonly #failures = new Map<string, Failures>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** How many ids failed in their last try. */
  get size(): number {
    return this.#failures.size
  }

  /** How often `id` has failed in a row. */
  failuresOf(id: string): number {
    return this.#failures.get(id)?.inRow ?? 0
  }

  /** Whether `id` may be tried now: it has not failed, or the wait is over. */
  isDue(id: string): boolean {
    const dueMs = this.#failures.get(id)?.dueMs
    return dueMs === undefined || this.#timers.now() >= dueMs - EARLY_MS
  }

  /** Call this after a failure of `id`. Returns how many there were in a row. */
  failed(id: string): number {
    const inRow = this.failuresOf(id) + 1
    this.#failures.set(id, { inRow, dueMs: this.#timers.now() + pauseMs(inRow) })
    return inRow
  }

  /** Call this after a success of `id`: its next failure is the first one again. */
  succeeded(id: string): void {
    this.#failures.delete(id)
  }

  /** Forgets all ids that are not in `ids`, because their objects are gone. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#failures.keys()) if (!ids.has(id)) this.#failures.delete(id)
  }
}
