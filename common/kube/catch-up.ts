import type { Cancel, Timers } from '../clock.ts'

/** After this long in vain the reflector lists anew: a quiet watch has a bookmark every 60 s. */
const RELIST_AFTER_MS = 60_000

interface Waiter {
  readonly since: number
  isMet(): boolean
  meet(): void
}

interface CatchUpOptions {
  readonly timers: Timers
  /** asked for at most once in `RELIST_AFTER_MS`, however many wait */
  readonly relist: () => void
}

/** Those who wait until a reflector has seen what they wrote. Waiting costs no request. */
export class CatchUp {
  readonly #timers: Timers
  readonly #relist: () => void
  readonly #waiting = new Set<Waiter>()
  #cancel: Cancel | undefined

  constructor({ timers, relist }: CatchUpOptions) {
    this.#timers = timers
    this.#relist = relist
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Resolves once `isMet`, which is asked now and at every `check`; or once `signal` aborts. */
  until(isMet: () => boolean, signal?: AbortSignal): Promise<void> {
    if (isMet() || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const meet = () => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', meet)
        if (this.#waiting.size === 0) this.#disarm()
        resolve()
      }
      const waiter = { since: this.#timers.now(), isMet, meet }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', meet)
      this.#cancel ??= this.#arm(RELIST_AFTER_MS)
    })
  }

  /** The reflector has come further. */
  check(): void {
    for (const waiter of this.#waiting) if (waiter.isMet()) waiter.meet()
  }

  /** Nobody waits any longer: what they wait for may never come. */
  release(): void {
    for (const waiter of this.#waiting) waiter.meet()
  }

  #arm(delayMs: number): Cancel {
    return this.#timers.after(delayMs, () => {
      const [eldest] = this.#waiting // a Set keeps the order of arrival
      const leftMs = (eldest?.since ?? 0) + RELIST_AFTER_MS - this.#timers.now()
      if (leftMs <= 0) this.#relist()
      this.#cancel = this.#arm(leftMs > 0 ? leftMs : RELIST_AFTER_MS)
    })
  }

  #disarm(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
