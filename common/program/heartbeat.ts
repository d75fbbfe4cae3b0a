import type { Cancel, Timers } from './clock.ts'

const BEAT_MS = 1_000

/** Measures how long the event loop has run no timer. */
export class Heartbeat {
  readonly #timers: Timers
  #cancel: Cancel = () => undefined
  #beatAtMs: number

  /** Beats every second from now on. */
  constructor(timers: Timers) {
    this.#timers = timers
    this.#beatAtMs = timers.now()
    this.#beat()
  }

  /** Milliseconds since the last beat: up to a second, unless something blocks the event loop. */
  get idleMs(): number {
    return this.#timers.now() - this.#beatAtMs
  }

  stop(): void {
    this.#cancel()
  }

  #beat(): void {
    this.#beatAtMs = this.#timers.now()
    this.#cancel = this.#timers.after(BEAT_MS, () => this.#beat())
  }
}
