/** Wall-clock time, for timestamps and for dates that users set. Not for intervals. */
export type Clock = () => Date

/** A number in [0, 1). */
export type Random = () => number

/** Cancels a timer. Does nothing if the timer has run or was cancelled before. */
export type Cancel = () => void

/** Timers for intervals and deadlines. Tests use virtual ones. */
export interface Timers {
  /** monotonic milliseconds; only differences are meaningful */
  now(): number
  /** Runs `run` once, `delayMs` from now. */
  after(delayMs: number, run: () => void): Cancel
}

/** The longest delay of `setTimeout`. It would run a longer one at once. Source: Node's documentation of timers. */
export const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * The timers of this process. A delay longer than `MAX_DELAY_MS` (24.8 days) is shortened to it, and a time that is
 * over already is no delay: of a negative one Node prints a warning that is no line of the log.
 */
export const realTimers = (): Timers => ({
  now: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.max(0, Math.min(delayMs, MAX_DELAY_MS)))
    return () => clearTimeout(timer)
  },
})

/** Resolves after `delayMs`, or as soon as `signal` aborts. The caller checks the signal afterwards. */
export const pause = (timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = timers.after(delayMs, end)
    signal.addEventListener('abort', end)
  })
