import { setTimeout as pause } from 'node:timers/promises'

/** How to wait. */
export interface EventuallyOptions {
  /** Ends the wait at once with the signal's reason, for example when the process that it waits for has ended. */
  readonly signal?: AbortSignal
  /** between two probes; default: 50 ms, and up to 200 ms after some seconds, because a probe needs a processor, too */
  readonly pauseMs?: number
}

const [LEAST_MS, MOST_MS] = [50, 200]
/** A wait is longer by a twentieth at most. */
const PART = 1 / 20

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Calls `probe` until it does not throw, and returns its result.
 * @param what completes the sentence "waited for …"
 * @throws Error after `deadlineMs` that says what it waited for, with the last error of `probe`
 */
export async function eventually<T>(
  what: string,
  deadlineMs: number,
  probe: () => T | Promise<T>,
  { signal, pauseMs }: EventuallyOptions = {},
): Promise<T> {
  const start = performance.now()
  const end = start + deadlineMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await probe()
    } catch (error) {
      signal?.throwIfAborted()
      if (performance.now() > end)
        throw new Error(`waited ${deadlineMs / 1000} s for ${what}; last seen: ${messageOf(error)}`, { cause: error })
    }
    const waitedMs = performance.now() - start
    await pause(pauseMs ?? Math.min(MOST_MS, Math.max(LEAST_MS, PART * waitedMs)))
  }
}
