import type { Random } from '../clock.ts'

/** First and longest wait; client-go waits up to 30 s, our promise to converge within 30 s leaves less. */
const FIRST_MS = 800
const LONGEST_MS = 20_000

/** So long a connection must have lived to be called healthy. client-go's. */
export const HEALTHY_AFTER_MS = 120_000

/** How long a reflector waits before it connects again: doubling, with jitter over the upper half. */
export class Reconnect {
  readonly #random: Random
  #nextMs = FIRST_MS

  constructor(random: Random) {
    this.#random = random
  }

  /** Milliseconds to wait now; the next answer is longer. */
  delayMs(): number {
    const delayMs = this.#nextMs
    this.#nextMs = Math.min(LONGEST_MS, delayMs * 2)
    return (delayMs / 2) * (1 + this.#random())
  }

  /** Tells how long the connection lived that has ended. */
  lived(forMs: number): void {
    if (forMs >= HEALTHY_AFTER_MS) this.#nextMs = FIRST_MS
  }
}
