import type { ServerResponse } from 'node:http'
import { realTimers, type Timers } from '../../common/program/clock.ts'

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

interface Limits {
  readonly maxReviews?: number
  readonly maxBytes?: number
  readonly timers?: Timers
  /** called when an answer is evicted that its caller has not read */
  readonly onUnread?: () => void
}

/**
 * 64 MiB of bodies become about 300 MiB of strings and objects at worst, when one letter makes V8 use two bytes for
 * each. With the program itself, that is three quarters of the memory limit of its pod.
 */
export const inFlight = ({
  maxReviews = 256,
  maxBytes = 64 * 1024 * 1024,
  timers = realTimers(),
  onUnread = () => undefined,
}: Limits = {}) => ({
  timers,
  onUnread,
  /** reviews that are being decided; further ones get status 429 */
  reviews: new Budget(maxReviews),
  /** memory for the bytes of all bodies that have arrived */
  bytes: new Budget(maxBytes),
  /** functions that reject a body of which more is to arrive, the oldest first */
  arriving: new Set<() => void>(),
  /** the decisions that have begun, by the response that waits for them */
  deciding: new WeakMap<ServerResponse, Promise<unknown>>(),
  /** functions that free what was reserved for a response */
  reserved: new WeakMap<ServerResponse, (() => void)[]>(),
  /** when the answers were written that their callers have not read yet, the oldest first */
  unread: new Map<ServerResponse, number>(),
})

/** What the webhook works on at the same time. */
export type InFlight = ReturnType<typeof inFlight>

/**
 * Calls `free` when `response` is closed and its decision has ended, if one has begun: a caller that hangs up early
 * leaves behind a decision that still needs memory. Calls it earlier, too, if the answer is evicted.
 */
export function whenOver({ deciding, reserved, unread }: InFlight, response: ServerResponse, free: () => void): void {
  reserved.set(response, [...(reserved.get(response) ?? []), free])
  response.once('close', () => {
    unread.delete(response)
    void Promise.allSettled([deciding.get(response)]).then(free)
  })
}

/** To be called when the answer was written to `response`: from then on, its caller may let us wait for ever. */
export function setAnswered({ reserved, unread, timers }: InFlight, response: ServerResponse): void {
  if (reserved.has(response) && !response.closed) unread.set(response, timers.now())
}

/** The API server reads an answer within milliseconds. */
const UNREAD_MS = 1_000

/**
 * Takes `amount` of `budget`. If not that much is left, answers are evicted that their callers have not read for a
 * second, the oldest first. Returns as `Budget.take`.
 */
export function reserve(flight: InFlight, budget: Budget, amount = 1): (() => void) | undefined {
  for (;;) {
    const free = budget.take(amount)
    if (free || !evictUnread(flight)) return free
  }
}

/** Closes the connection of the oldest unread answer, and frees what it had reserved. False if there is none. */
function evictUnread({ unread, reserved, timers, onUnread }: InFlight): boolean {
  const [[response, sinceMs] = []] = unread
  if (!response || sinceMs === undefined || timers.now() - sinceMs < UNREAD_MS) return false
  unread.delete(response)
  response.req.socket.destroy()
  onUnread()
  for (const free of reserved.get(response) ?? []) free()
  return true
}
