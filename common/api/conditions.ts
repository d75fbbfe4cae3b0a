import { cut } from './cut.ts'
import type { Reason } from './reasons.ts'
import type { Condition, ConditionType } from './types.ts'

/** A condition before it is known when its status last changed. */
export interface Finding {
  readonly type: ConditionType
  readonly status: Condition['status']
  readonly reason: Reason
  readonly message: string
}

/** Longest message of a condition; the API server takes 32,768, a terminal far less. */
const MAX_MESSAGE = 1_024

/**
 * `findings` as conditions. A condition whose status is as in `before` keeps its `lastTransitionTime`, so that equal
 * findings give equal conditions.
 */
export const conditionsFrom = (
  findings: readonly Finding[],
  { before, observedGeneration, now }: Since,
): readonly Condition[] =>
  findings.map(({ type, status, reason, message }) => {
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

interface Since {
  readonly before: readonly Condition[]
  readonly observedGeneration: number
  readonly now: Date
}

/** RFC 3339 without fractions: `metav1.Time` has none. */
const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
