import type { Timers } from './clock.ts'

/** Why a signal of `startDeadline` aborted by itself. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** A signal with a time limit. Somebody must call `end`, or the timer and a listener stay behind. */
export interface Deadline {
  readonly signal: AbortSignal
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
  const follow = () => controller.abort(parent?.reason)
  const lift = timers.after(limitMs, () => controller.abort(new DeadlineExceeded(`no answer within ${limitMs} ms`)))
  if (parent?.aborted) follow()
  parent?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    lift,
    end: () => {
      lift()
      parent?.removeEventListener('abort', follow)
    },
  }
}
