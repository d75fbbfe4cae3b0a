import { setImmediate } from 'node:timers/promises'
import type { Timers } from '../common/clock.ts'

/** Far less than anybody notices; an override as large as is allowed takes milliseconds in each part of a review. */
const MAX_TURN_MS = 2

/**
 * A review's turn of the event loop, which holds up everybody else. Small reviews end within one: what is done at once
 * waits half-done in memory for nobody.
 */
export class Turn {
  readonly #timers: Pick<Timers, 'now'>
  #began: number

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
    this.#began = timers.now()
  }

  /** To be called after a wait for something else: others had their turns meanwhile. */
  begin(): void {
    this.#began = this.#timers.now()
  }

  /** Lets others have their turns, if this one has been long. */
  async giveWay(): Promise<void> {
    if (this.#timers.now() - this.#began < MAX_TURN_MS) return
    await setImmediate()
    this.begin()
  }
}
