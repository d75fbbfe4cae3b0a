import { fitted, type Part, wholeClauses } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import type { Reason } from './reasons.ts'
import type { Condition, ExperimentDeploymentStatus, Warning } from './types.ts'

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
      message: wholeClauses(MAX_MESSAGE, message),
      observedGeneration,
      lastTransitionTime: last?.status === status ? last.lastTransitionTime : wholeSeconds(now),
    }
  })

/** RFC 3339 without fractions of a second, as in `metav1.Time`. */
const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** The condition Ready of a stored status. */
export const readyOf = (status: ExperimentDeploymentStatus | undefined): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')

/** Since when a condition of a stored status is True; undefined if it is not. */
export const sinceOf = (
  status: ExperimentDeploymentStatus | undefined,
  type: Condition['type'],
): Condition['lastTransitionTime'] | undefined =>
  status?.conditions?.find((each) => each.type === type && each.status === 'True')?.lastTransitionTime

/** The most characters of a warning with its reason. The API server may cut longer ones. */
export const MAX_WARNING = 256

/** A warning of `parts` that fit, so that `[reason] message` has at most 256 characters. */
export const warning = (reason: Reason, ...parts: readonly Part[]): Warning => ({
  reason,
  message: fitted(MAX_WARNING - `[${reason}] `.length, parts),
})

/** One warning whose `message` names the first two of `of`; none if there are none. */
export const warningsAbout = (
  reason: Reason,
  of: readonly string[],
  message: (names: Part) => readonly Part[],
): readonly Warning[] => (of.length === 0 ? [] : [warning(reason, ...message(shortenedList(of, 2)))])
