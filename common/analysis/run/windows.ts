import type { TimeWindow } from '../query/window-query.ts'
import type { Times } from './subject.ts'

/** The most intervals of a window, which grows while it has few requests. Older intervals are skipped. */
export const MOST_INTERVALS = 10

interface WindowTimes {
  /** the end of the window before it */
  readonly startMs: number
  readonly intervalSeconds: number
  /** how old the end of a window must be */
  readonly lagSeconds: number
  readonly nowMs: number
}

/** The next window of a metric: it is due now, or `atMs` is the time when it will be. */
type NextWindow =
  | { readonly is: 'later'; readonly atMs: number }
  | { readonly is: 'due'; readonly window: TimeWindow /** intervals before it */; readonly skipped: number }

/**
 * The next window: from the end of the last one, all whole intervals that have ended, but at most the newest
 * `MOST_INTERVALS`. So it grows until it is counted.
 */
export function nextWindow({ startMs, intervalSeconds, lagSeconds, nowMs }: WindowTimes): NextWindow {
  const [intervalMs, lagMs] = [1_000 * intervalSeconds, 1_000 * lagSeconds]
  const ended = Math.floor((nowMs - lagMs - startMs) / intervalMs)
  if (ended < 1) return { is: 'later', atMs: startMs + intervalMs + lagMs }
  const skipped = Math.max(0, ended - MOST_INTERVALS)
  return { is: 'due', window: { start: startMs + skipped * intervalMs, end: startMs + ended * intervalMs }, skipped }
}

/** Whether a window has its greatest length. Then it is counted even if it has few requests. */
export const isLongest = ({ start, end }: TimeWindow, intervalSeconds: number): boolean =>
  end - start >= MOST_INTERVALS * 1_000 * intervalSeconds

/**
 * When the time of an analysis is over, in milliseconds since 1970: a window that ends with it can still be asked for.
 * Infinity: the analysis has no end.
 */
export const overMs = (
  startedMs: number,
  { maxSeconds = Number.POSITIVE_INFINITY }: Pick<Times, 'maxSeconds'>,
  lagSeconds: number,
): number => startedMs + 1_000 * (maxSeconds + lagSeconds)

interface LookTimes extends WindowTimes {
  /** the end of the window that was asked for in this look; undefined: none was */
  readonly askedMs: number | undefined
}

/**
 * When the next window can be asked for, always later than now: one interval after the end of the window that was asked
 * for. If a window was due but not asked for, as of a busy provider, it is when the next interval has ended.
 */
export function nextLookMs({ startMs, askedMs, intervalSeconds, lagSeconds, nowMs }: LookTimes): number {
  const [intervalMs, lagMs] = [1_000 * intervalSeconds, 1_000 * lagSeconds]
  const fromMs = Math.max(startMs, Math.min(askedMs ?? startMs, nowMs))
  const nextMs = fromMs + intervalMs + lagMs
  if (nextMs > nowMs) return nextMs
  if (askedMs !== undefined) return nowMs + SOON_MS
  return nextMs + (Math.floor((nowMs - nextMs) / intervalMs) + 1) * intervalMs
}

/** How soon the next look is after an answer that took longer than an interval. */
const SOON_MS = 1_000
