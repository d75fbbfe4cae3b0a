import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timers } from '../../common/program/clock.ts'

/**
 * A review yields after a turn of this length. Each of its parts takes milliseconds for the largest allowed override.
 */
const MAX_TURN_MS = 5

/** Lets other reviews run during a long one. One of usual size does not yield, so that few wait half-done in memory. */
export class Yielder {
  readonly #timers: Pick<Timers, 'now'>
  #began = 0
  #isOver = true

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
    this.resume()
  }

  /** To be called after a wait. If the awaited promise was already resolved, nothing else ran and the turn goes on. */
  resume(): void {
    if (!this.#isOver) return
    this.#began = this.#timers.now()
    this.#isOver = false
    setImmediate(() => {
      this.#isOver = true
    })
  }

  /** Yields to the event loop if this turn has been longer than 5 ms. */
  async yieldIfLong(): Promise<void> {
    if (this.#timers.now() - this.#began < MAX_TURN_MS) return
    await nextTurn()
    this.resume()
  }
}
