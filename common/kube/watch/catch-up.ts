import type { Cancel, Timers } from '../../program/clock.ts'

/** After a wait of this time the reflector lists again: even a quiet watch has a bookmark every 60 s. */
const RELIST_AFTER_MS = 60_000

interface Waiter {
  readonly sinceMs: number
  isMet(): boolean
  meet(): void
}

interface CatchUpOptions {
  readonly timers: Timers
  /** whether what callers wait for may never come, so that nobody waits */
  readonly isOver: () => boolean
  /** called at most once in `RELIST_AFTER_MS`, however many wait */
  readonly relist: () => void
}

/** The callers who wait until a reflector has seen what they wrote. Waiting costs no request. */
export class CatchUp {
  readonly #timers: Timers
  readonly #relist: () => void
  readonly #isOver: () => boolean
  readonly #waiting = new Set<Waiter>()
  #cancel: Cancel | undefined

  constructor({ timers, relist, isOver }: CatchUpOptions) {
    this.#timers = timers
    this.#relist = relist
    this.#isOver = isOver
  }

  /** How many callers wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Resolves when `isMet` returns true, or when `signal` aborts. `isMet` is called now and at every `check`. */
  until(isMet: () => boolean, signal?: AbortSignal): Promise<void> {
    if (this.#isOver() || isMet() || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const meet = () => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', meet)
        if (this.#waiting.size === 0) this.#disarm()
        resolve()
      }
      const waiter = { sinceMs: this.#timers.now(), isMet, meet }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', meet)
      this.#cancel ??= this.#arm(RELIST_AFTER_MS)
    })
  }

  /** Call this after the state of the reflector has changed. */
  check(): void {
    for (const waiter of this.#waiting) if (waiter.isMet()) waiter.meet()
  }

  /** Ends all waits: what the callers wait for may never come. */
  release(): void {
    for (const waiter of this.#waiting) waiter.meet()
  }

  #arm(delayMs: number): Cancel {
    return this.#timers.after(delayMs, () => {
      const [oldest] = this.#waiting // a Set keeps the order of insertion
      const leftMs = (oldest?.sinceMs ?? 0) + RELIST_AFTER_MS - this.#timers.now()
      if (leftMs <= 0) this.#relist()
      this.#cancel = this.#arm(leftMs > 0 ? leftMs : RELIST_AFTER_MS)
    })
  }

  #disarm(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
