/** Wall time: for timestamps and what users set by the calendar, never for intervals. */
export type Clock = () => Date

/** A number in [0, 1). */
export type Random = () => number

/** Calls off what was to happen; harmless when it has happened. */
export type Cancel = () => void

/** Intervals and deadlines. Tests put a virtual one in place of the real. */
export interface Timers {
  /** monotonic milliseconds; only differences mean anything */
  now(): number
  /** Runs `run` once, `delayMs` from now. */
  after(delayMs: number, run: () => void): Cancel
}

/** The longest delay `setTimeout` knows; a longer one it would run at once. Node documentation, timers. */
export const MAX_DELAY_MS = 2 ** 31 - 1

/** Timers of this process. A delay over `MAX_DELAY_MS` (24.8 days) ends after that. */
export const realTimers = (): Timers => ({
  now: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, MAX_DELAY_MS))
    return () => clearTimeout(timer)
  },
})

/** Resolves after `delayMs`, or as soon as `signal` aborts: whoever waits looks at the signal afterwards. */
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
