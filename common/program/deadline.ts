import type { Timers } from './clock.ts'

/** The reason with which a signal of `startDeadline` aborts when its time is over. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** A signal with a time limit. Its owner must call `end`, or else a timer and a listener remain. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Starts the time limit again from now. */
  restart(): void
  /** Aborts now. */
  abort(reason: Error): void
  /** Removes the time limit. An abort of the parent still aborts the signal. */
  lift(): void
  /** Removes the time limit, and no longer follows the parent. */
  end(): void
}

/**
 * Aborts with `DeadlineExceeded` after `limitMs`, or with the reason of `parent` when that aborts.
 * `AbortSignal.any` and `AbortSignal.timeout` would need no `end`, but they ignore a virtual clock.
 */
export function startDeadline(timers: Timers, limitMs: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  const expire = () => controller.abort(new DeadlineExceeded(`timed out after ${limitMs} ms`))
  const follow = () => controller.abort(parent?.reason)
  let lift = timers.after(limitMs, expire)
  if (parent?.aborted) follow()
  parent?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    restart: () => {
      lift()
      lift = timers.after(limitMs, expire)
    },
    abort: (reason) => controller.abort(reason),
    lift: () => lift(),
    end: () => {
      lift()
      parent?.removeEventListener('abort', follow)
    },
  }
}

/**
 * Resolves or rejects as `promise` does, unless `signal` aborts first: then nobody learns how `promise` ends. @throws
 * the reason of `signal`
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  if (signal.aborted) promise.catch(() => undefined) // a rejection without a handler would end the process
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
