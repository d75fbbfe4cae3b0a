import type { ServerResponse } from 'node:http'

/** A limit on an amount that is in use at once. Without a queue: the API server would time out those who wait. */
export class Budget {
  readonly #max: number
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  get used(): number {
    return this.#used
  }

  /** Reserves `amount`, and returns a function that frees it; undefined if not that much is left. */
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

/**
 * 64 MiB of bodies become about 300 MiB of strings and objects at worst, when one letter makes V8 use two bytes for
 * each. With the program itself, that is three quarters of the memory limit of its pod.
 */
export const inFlight = ({ maxReviews = 256, maxBytes = 64 * 1024 * 1024 } = {}) => ({
  /** reviews that are being decided; further ones get status 429 */
  reviews: new Budget(maxReviews),
  /** memory for the bytes of all bodies that have arrived */
  bytes: new Budget(maxBytes),
  /** functions that reject a body of which more is to arrive, the oldest first */
  arriving: new Set<() => void>(),
  /** the decisions that have begun, by the response that waits for them */
  deciding: new WeakMap<ServerResponse, Promise<unknown>>(),
})

/** What the webhook works on at the same time. */
export type InFlight = ReturnType<typeof inFlight>

/**
 * Calls `free` when `response` is closed and its decision has ended, if one has begun: a caller that hangs up early
 * leaves behind a decision that still needs memory.
 */
export function whenOver({ deciding }: InFlight, response: ServerResponse, free: () => void): void {
  response.once('close', () => void Promise.allSettled([deciding.get(response)]).then(free))
}
