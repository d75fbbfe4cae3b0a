import type { Reason } from '../api/reasons.ts'
import type { FieldError } from '../api/types.ts'

/** The state of an experiment, by what happens next. */
export type DecisionState =
  | { readonly is: 'settled' } // nothing, it is as described
  | { readonly is: 'waiting'; readonly retryAfterMs: number } // another pass after that time
  | { readonly is: 'unready' } // not as described, until an event wakes it
  | { readonly is: 'stalled' } // a person must act
  | { readonly is: 'failed' } // a write failed and is tried again

/** A state with its reason and message, which are for people. */
export type Decision = DecisionState & {
  readonly reason: Reason
  readonly message: string
  /** why, where other decisions depend on it: the fork exceeded its progress deadline, or policies do not allow it */
  readonly because?: 'overdue' | 'denied'
}

/** What conditions and Events report about each state, so that kstatus reads them rightly. */
export const CONDITIONS_OF_STATE = {
  settled: { isReady: true, isProgressing: false, isStalled: false, eventType: 'Normal' },
  waiting: { isReady: false, isProgressing: true, isStalled: false, eventType: 'Normal' },
  unready: { isReady: false, isProgressing: false, isStalled: false, eventType: 'Normal' },
  stalled: { isReady: false, isProgressing: false, isStalled: true, eventType: 'Warning' },
  failed: { isReady: false, isProgressing: true, isStalled: false, eventType: 'Warning' },
} as const satisfies Readonly<Record<DecisionState['is'], object>>

const RETRY_MS = 60_000

/** A decision to try again after `retryAfterMs`. */
export const waiting = (reason: Reason, message: string, retryAfterMs = RETRY_MS) =>
  ({ is: 'waiting', retryAfterMs, reason, message }) as const

/** A decision that stays until a person acts. */
export const stalled = (reason: Reason, message: string) => ({ is: 'stalled', reason, message }) as const

/** An object of somebody else, `deployment/cart`, has a name that the experiment needs. */
export const nameConflict = (name: string) =>
  stalled('NameConflict', `${name} already exists and is not managed by this experiment`)

/** The first five mistakes in one line. */
export const formatErrors = (errors: readonly FieldError[]): string =>
  firstFive(errors.map(({ field, message }) => `${field}: ${message}`))

/** The first five of `texts` in one line, because a condition is read in a terminal. */
export function firstFive(texts: readonly string[]): string {
  const more = texts.length > 5 ? [`and ${texts.length - 5} more`] : []
  return [...texts.slice(0, 5), ...more].join('; ')
}
