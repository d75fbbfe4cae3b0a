import { setTimeout as pause } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Ends the wait at once with the signal's reason, for instance when the process that is waited for has died. */
  readonly signal?: AbortSignal
  readonly pauseMs?: number
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Asks `probe` again until it no longer throws, and returns what it returned.
 * @param what completes the sentence "waited for …".
 * @throws Error after `deadlineMs` that says what was awaited and what the last probe complained about.
 */
export async function eventually<T>(
  what: string,
  deadlineMs: number,
  probe: () => T | Promise<T>,
  { signal, pauseMs = 50 }: EventuallyOptions = {},
): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await probe()
    } catch (error) {
      signal?.throwIfAborted()
      if (performance.now() > end)
        throw new Error(`waited ${deadlineMs / 1000} s for ${what}; last seen: ${messageOf(error)}`, { cause: error })
    }
    await pause(pauseMs)
  }
}
