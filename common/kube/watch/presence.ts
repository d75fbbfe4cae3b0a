import { unlessAborted } from '../../program/deadline.ts'

/** Whether the API server serves a kind, for those who wait until it does. */
export class Presence {
  #served = Promise.withResolvers<void>()
  #isFound = false

  /** The kind is served now. */
  found(): void {
    this.#isFound = true
    this.#served.resolve()
  }

  /** The kind is not served, or no longer. Callers who wait already go on waiting. */
  lost(): void {
    if (this.#isFound) this.#served = Promise.withResolvers()
    this.#isFound = false
  }

  /** Resolves when the kind is served, and when `signal` aborts. */
  served(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#served.promise, signal).catch(() => undefined)
  }
}
