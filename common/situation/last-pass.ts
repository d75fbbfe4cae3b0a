import { readyOf } from '../api/conditions.ts'
import { attributesOf, isReason } from '../api/reasons.ts'
import type { ExperimentDeploymentStatus } from '../api/types.ts'

/** What the last pass left, as far as decisions depend on it. Nothing else reads the stored reason of `Ready`. */
export interface LastPass {
  /** whether it said anything of the fork */
  readonly isTold: boolean
  /** why it left the fork without pods, if it did */
  readonly emptied: 'aloneBehindService' | 'rolledBack' | undefined
}

/** What the last pass left, from the status that it stored. */
export function lastPassOf(status: ExperimentDeploymentStatus | undefined): LastPass {
  const reason = readyOf(status)?.reason
  return { isTold: reason !== undefined, emptied: isReason(reason) ? attributesOf(reason).empties : undefined }
}
