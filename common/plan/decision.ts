import type { Reason } from '../api/reasons.ts'
import type { FieldError } from '../api/types.ts'

/**
 * The state of an experiment, by what happens next. `settled`: nothing, it is as described. `waiting`: another pass after
 * that time. `unready`: not as described, until an event wakes it. `stalled`: a person must act. `failed`: a write failed
 * and is tried again.
 */
export type State =
  | { readonly is: 'settled' }
  | { readonly is: 'waiting'; readonly retryAfterMs: number }
  | { readonly is: 'unready' }
  | { readonly is: 'stalled' }
  | { readonly is: 'failed' }

/** A state with its reason and message. */
export type Decision = { readonly reason: Reason; readonly message: string } & State

/** What conditions and Events report about a state, so that kstatus reads them rightly. */
interface StateAttributes {
  readonly isReady: boolean
  readonly isProgressing: boolean
  readonly isStalled: boolean
  readonly eventType: 'Normal' | 'Warning'
}

/** A new state does not compile until somebody has said what is reported about it. */
export const STATES: Readonly<Record<State['is'], StateAttributes>> = {
  settled: { isReady: true, isProgressing: false, isStalled: false, eventType: 'Normal' },
  waiting: { isReady: false, isProgressing: true, isStalled: false, eventType: 'Normal' },
  unready: { isReady: false, isProgressing: false, isStalled: false, eventType: 'Normal' },
  stalled: { isReady: false, isProgressing: false, isStalled: true, eventType: 'Warning' },
  failed: { isReady: false, isProgressing: true, isStalled: false, eventType: 'Warning' },
}

const RETRY_MS = 60_000

/** A decision to try again after `retryAfterMs`. */
export const waiting = (reason: Reason, message: string, retryAfterMs = RETRY_MS) =>
  ({ is: 'waiting', retryAfterMs, reason, message }) as const

/** A decision that stays until a person acts. */
export const stalled = (reason: Reason, message: string) => ({ is: 'stalled', reason, message }) as const

/** The first five mistakes in one line, because a condition is read in a terminal. */
export function formatErrors(errors: readonly FieldError[]): string {
  const shown = errors.slice(0, 5).map(({ field, message }) => `${field}: ${message}`)
  return [...shown, ...(errors.length > 5 ? [`and ${errors.length - 5} more`] : [])].join('; ')
}
