import type { TimeWindow } from '../query/window-query.ts'

/** A window grows up to so many intervals while it has few requests. What is older is not asked for any more. */
export const MOST_INTERVALS = 10

interface WindowTimes {
  /** the end of the window before it */
  readonly startMs: number
  readonly intervalSeconds: number
  /** how old the end of a window must be */
  readonly lagSeconds: number
  readonly nowMs: number
}

export type NextWindow =
  | { readonly is: 'later'; readonly atMs: number }
  | { readonly is: 'due'; readonly window: TimeWindow /** intervals before it */; readonly skipped: number }

/**
 * The window that is asked for now: from the end of the one before it, as many whole intervals as have ended. So it
 * grows while nothing of it is counted.
 */
export function nextWindow({ startMs, intervalSeconds, lagSeconds, nowMs }: WindowTimes): NextWindow {
  const [intervalMs, lagMs] = [1_000 * intervalSeconds, 1_000 * lagSeconds]
  const ended = Math.floor((nowMs - lagMs - startMs) / intervalMs)
  if (ended < 1) return { is: 'later', atMs: startMs + intervalMs + lagMs }
  const skipped = Math.max(0, ended - MOST_INTERVALS)
  return { is: 'due', window: { start: startMs + skipped * intervalMs, end: startMs + ended * intervalMs }, skipped }
}

/** Whether a window is as long as one can be: then it is counted with however few requests it has. */
export const isLongest = ({ start, end }: TimeWindow, intervalSeconds: number): boolean =>
  end - start >= MOST_INTERVALS * 1_000 * intervalSeconds

interface LookTimes extends WindowTimes {
  /** the end of the window that was asked for in this look; undefined: none was */
  readonly askedMs: number | undefined
}

/**
 * When the next window can be asked for, which is after now: when one more interval has ended than what was asked for.
 * Where nothing was asked for although it could be, there was a reason, such as a provider that needs time.
 */
export function nextLookMs({ startMs, askedMs, intervalSeconds, lagSeconds, nowMs }: LookTimes): number {
  const [intervalMs, lagMs] = [1_000 * intervalSeconds, 1_000 * lagSeconds]
  const fromMs = Math.max(startMs, Math.min(askedMs ?? startMs, nowMs))
  const nextMs = fromMs + intervalMs + lagMs
  if (nextMs > nowMs) return nextMs
  if (askedMs !== undefined) return nowMs + SOON_MS
  return nextMs + (Math.floor((nowMs - nextMs) / intervalMs) + 1) * intervalMs
}

/** After an answer that took longer than an interval. */
const SOON_MS = 1_000
