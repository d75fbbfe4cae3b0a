/** So many of something at once. There is no queue: whoever waits here would time out at the API server anyway. */
export class Budget {
  readonly #max: number
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  get used(): number {
    return this.#used
  }

  /** Takes `amount` if that much is left; what it returns gives it back, once. */
  take(amount = 1): (() => void) | undefined {
    if (this.#used + amount > this.#max) return undefined
    this.#used += amount
    let isTaken = true
    return () => {
      if (isTaken) this.#used -= amount
      isTaken = false
    }
  }
}

/** What the webhook works on at once. */
export interface InFlight {
  /** reviews being decided; beyond them kubectl is asked to try again */
  readonly reviews: Budget
  /** of bodies announced; beyond them a body is not read */
  readonly bytes: Budget
}

/**
 * 64 MiB of bodies become some 300 MiB of text and objects at worst, where one letter has V8 write two bytes for each:
 * with what the program needs itself, three quarters of its pod's limit.
 */
export const inFlight = ({ maxReviews = 256, maxBytes = 64 * 1024 * 1024 } = {}): InFlight => ({
  reviews: new Budget(maxReviews),
  bytes: new Budget(maxBytes),
})
