import type { Timers } from './clock.ts'

/**
 * Work yields after a turn of this length. Each part of a review or of a pass takes milliseconds for the largest
 * allowed override.
 */
const MAX_TURN_MS = 5

/**
 * Lets timers and other work run during long work. Work of usual size does not yield, so that little of it waits
 * half-done in memory. Those that share a yielder share its turns.
 */
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

  /**
   * Whether this turn has been longer than 5 ms. Callers that share the yielder wait for the next turn while it is, and
   * work in the same step as the last question. After `yieldIfLong`, all that asked in a short turn would work in it.
   */
  get isLong(): boolean {
    this.resume()
    return this.#timers.now() - this.#began >= MAX_TURN_MS
  }

  /** Resolves in the next turn of the event loop. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve))
  }

  /** Yields to the event loop if this turn has been longer than 5 ms. */
  async yieldIfLong(): Promise<void> {
    if (!this.isLong) return
    await this.nextTurn()
    this.resume()
  }
}
