import type { Cancel, Clock, Timers } from '../../common/program/clock.ts'

/** How often the clocks are compared. */
const COMPARE_MS = 60_000

/** A smaller difference delays nothing that users set in seconds. */
const TOLERATED_MS = 1_000

interface ClockStepsOptions {
  readonly clock: Clock
  readonly timers: Timers
  /** called after the wall clock was set forward */
  readonly onForwardStep: () => void
}

/**
 * Notices when the wall clock is set forward, or has gone on while the machine slept. Then a date that users set comes
 * before the timer that waits for it. After a step backward a timer comes too early, and the pass sets it again.
 */
export class ClockSteps {
  readonly #options: ClockStepsOptions
  #cancel: Cancel = () => undefined

  constructor(options: ClockStepsOptions) {
    this.#options = options
  }

  /** Compares the clocks once a minute from now on. */
  start(): void {
    this.#compareAfter(this.#aheadMs)
  }

  /** Ends what `start` started. */
  stop(): void {
    this.#cancel()
  }

  /** How far the wall clock is ahead of the monotonic one. Only differences are meaningful. */
  get #aheadMs(): number {
    const { clock, timers } = this.#options
    return clock().getTime() - timers.now()
  }

  /** Compares with `beforeMs`, which stays while the difference is small, so that small steps add up. */
  #compareAfter(beforeMs: number): void {
    const { timers, onForwardStep } = this.#options
    this.#cancel = timers.after(COMPARE_MS, () => {
      const aheadMs = this.#aheadMs
      const isForward = aheadMs - beforeMs > TOLERATED_MS
      this.#compareAfter(isForward ? aheadMs : Math.min(beforeMs, aheadMs))
      if (isForward) onForwardStep()
    })
  }
}
