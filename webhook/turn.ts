import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Timers } from '../common/clock.ts'

/** Far less than anybody notices; an override as large as is allowed takes milliseconds in each part of a review. */
const MAX_TURN_MS = 2

/**
 * A review's turn of the event loop, which holds up everybody else. A review of usual size has it to itself: what is
 * done at once waits half-done in memory for nobody.
 */
export class Turn {
  readonly #timers: Pick<Timers, 'now'>
  #began = 0
  #isOver = true

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
    this.resume()
  }

  /** To be called after a wait. Not every wait lets others in: what is known already is answered within a turn. */
  resume(): void {
    if (!this.#isOver) return
    this.#began = this.#timers.now()
    this.#isOver = false
    setImmediate(() => {
      this.#isOver = true
    })
  }

  /** Lets others have their turns, if this one has been long. */
  async giveWay(): Promise<void> {
    if (this.#timers.now() - this.#began < MAX_TURN_MS) return
    await nextTurn()
    this.resume()
  }
}
