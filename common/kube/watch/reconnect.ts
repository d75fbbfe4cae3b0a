import type { Random } from '../../program/clock.ts'

/** The first and the longest wait. client-go waits up to 30 s, but we promise to converge within 30 s. */
const FIRST_MS = 800
const LONGEST_MS = 20_000

/** A connection that lasted this long was healthy. The value is that of client-go. */
export const HEALTHY_AFTER_MS = 120_000
/** After a watch that lasted this long, the next one opens without a wait. */
const NO_WAIT_AFTER_MS = 5_000

/** How long a reflector waits before it connects again. The wait doubles, with jitter over its upper half. */
export class Reconnect {
  readonly #random: Random
  #nextMs = FIRST_MS

  constructor(random: Random) {
    this.#random = random
  }

  /** Milliseconds to wait now. Each call returns a longer wait, up to the longest. */
  delayMs(): number {
    const delayMs = this.#nextMs
    this.#nextMs = Math.min(LONGEST_MS, delayMs * 2)
    return (delayMs / 2) * (1 + this.#random())
  }

  /** Milliseconds to wait after a watch that was open for `openMs` and ended without an error. */
  delayAfterWatchMs(openMs: number): number {
    return openMs >= NO_WAIT_AFTER_MS ? 0 : this.delayMs()
  }

  /** Call this when a connection has ended. After a healthy one, waits begin with the first again. */
  connectionEnded(afterMs: number): void {
    if (afterMs >= HEALTHY_AFTER_MS) this.#nextMs = FIRST_MS
  }

  /** Call this when the server begins to serve the kind. The failures while it did not say nothing about now. */
  kindFound(): void {
    this.#nextMs = FIRST_MS
  }
}
