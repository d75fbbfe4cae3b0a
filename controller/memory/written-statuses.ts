import type { ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { isEqual } from '../../common/json/json.ts'
import type { Timers } from '../../common/program/clock.ts'
import type { Key } from '../runtime/queue.ts'

/** Repairs are not counted in a row after this time, so that it no longer matters what was written before. */
const FORGET_MS = 120_000

interface WrittenStatus {
  readonly status: ExperimentDeploymentStatus
  readonly atMs: number
}

/**
 * The statuses that this process has written lately. A client that once wrote a field with the present value owns it
 * together with the controller for ever. Only a status that differs from what was written shows that it writes now.
 */
export class WrittenStatuses {
  readonly #timers: Pick<Timers, 'now'>
  /** in the order of the writes */
  readonly #written = new Map<Key, WrittenStatus>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** How many keys it remembers. For tests. */
  get size(): number {
    return this.#written.size
  }

  /** Call this after the status of `key` was written. */
  noteWrite(key: Key, status: ExperimentDeploymentStatus): void {
    const atMs = this.#timers.now()
    for (const [other, written] of this.#written) {
      if (atMs - written.atMs < FORGET_MS) break
      this.#written.delete(other)
    }
    this.#written.delete(key)
    this.#written.set(key, { status, atMs })
  }

  /** Forgets an experiment that is gone. */
  forget(key: Key): void {
    this.#written.delete(key)
  }

  /** Whether `status` is what was last written for `key`; false if that is not known. */
  has(key: Key, status: ExperimentDeploymentStatus | undefined): boolean {
    const written = this.#written.get(key)
    return written !== undefined && status !== undefined && isEqual(written.status, status)
  }
}
