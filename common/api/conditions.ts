import { cut } from '../text/cut.ts'
import type { Reason } from './reasons.ts'
import type { Condition, Warning } from './types.ts'

/** A condition without the time of its last transition. */
export type ConditionDraft = Pick<Condition, 'type' | 'status' | 'message'> & { readonly reason: Reason }

/** The longest message of a condition. The API server accepts 32,768 characters, but a terminal shows far less. */
const MAX_MESSAGE = 1_024

/** Completes `drafts`. One with the same status as in `before` keeps its time: equal drafts give equal conditions. */
export const conditionsFrom = (
  drafts: readonly ConditionDraft[],
  before: readonly Condition[],
  { observedGeneration, now }: { readonly observedGeneration: number; readonly now: Date },
): readonly Condition[] =>
  drafts.map(({ type, status, reason, message }) => {
    const last = before.find((condition) => condition.type === type)
    return {
      type,
      status,
      reason,
      message: cut(message, MAX_MESSAGE),
      observedGeneration,
      lastTransitionTime: last?.status === status ? last.lastTransitionTime : wholeSeconds(now),
    }
  })

/** RFC 3339 without fractions of a second, as in `metav1.Time`. */
const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** The longest warning that `kubectl` prints in full. */
const MAX_WARNING = 120

/** A warning whose message is cut so that `[reason] message` has at most 120 characters. */
export const warning = (reason: Reason, message: string): Warning => ({
  reason,
  message: cut(message, MAX_WARNING - `[${reason}] `.length),
})
