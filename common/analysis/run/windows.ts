import type { Span } from '../query/window-query.ts'

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
  | { readonly is: 'due'; readonly window: Span /** intervals before it */; readonly skipped: number }

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
export const isLongest = ({ start, end }: Span, intervalSeconds: number): boolean =>
  end - start >= MOST_INTERVALS * 1_000 * intervalSeconds

/** When the window after the one that ended at `startMs` can be asked for, while one that ends at `askedMs` was. */
export const nextLookMs = (startMs: number, askedMs: number, intervalSeconds: number, lagSeconds: number): number =>
  Math.max(startMs, askedMs) + 1_000 * (intervalSeconds + lagSeconds)
