import type { Timers } from './clock.ts'

/** Why a signal of `startDeadline` aborted by itself. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** A signal with a time limit. Somebody must call `end`, or the timer and a listener stay behind. */
export interface Deadline {
  readonly signal: AbortSignal
  /** The limit counts from now on again. */
  restart(): void
  /** Aborts now. */
  cut(reason: Error): void
  /** Lifts the time limit; an abort of the parent still arrives. */
  lift(): void
  /** Lifts the limit and lets go of the parent. */
  end(): void
}

/**
 * Aborts after `limitMs` with `DeadlineExceeded`, or with `parent` and its reason.
 * `AbortSignal.any` and `.timeout` would do without `end`, but not under a virtual clock.
 */
export function startDeadline(timers: Timers, limitMs: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController()
  const expire = () => controller.abort(new DeadlineExceeded(`nothing within ${limitMs} ms`))
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
    cut: (reason) => controller.abort(reason),
    lift: () => lift(),
    end: () => {
      lift()
      parent?.removeEventListener('abort', follow)
    },
  }
}

/** What `promise` becomes, unless `signal` aborts before. @throws the reason of `signal` */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
