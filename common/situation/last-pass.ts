import { readyOf } from '../api/conditions.ts'
import { attributesOf, isReason } from '../api/reasons.ts'
import type { Condition, ExperimentDeploymentStatus } from '../api/types.ts'

/**
 * What the last pass left, as far as decisions depend on it. Nothing else decides by the reasons of stored conditions,
 * except whether one is still the same.
 */
export interface LastPass {
  /** whether it said anything of the fork */
  readonly isReported: boolean
  /** why it left the fork without pods, if it did */
  readonly emptied: 'aloneBehindService' | 'rolledBack' | undefined
  /** what it said of a fork that was just written; undefined: it said something else */
  readonly ofWritten: Pick<Condition, 'message' | 'observedGeneration'> | undefined
  /** what it said of the fork, only so that it can be said again */
  readonly told: Condition['message'] | undefined
  /** whether the experiment is over */
  readonly isOver: boolean
  /** whether the experiment waits for another one to end, such as for a place under a limit */
  readonly waitsForAnother: boolean
  /** since when the source has no template; undefined: it had one */
  readonly lacksTemplateSince: Condition['lastTransitionTime'] | undefined
  /** whether it said that these Services of a blue-green send only to the fork */
  readonly limited: { readonly active: boolean; readonly preview: boolean }
}

/** What the last pass left, from the status that it stored. */
export function lastPassOf(status: ExperimentDeploymentStatus | undefined): LastPass {
  const ready = readyOf(status)
  const [ofReady, ofSource] = [attributesIn(ready), conditionOf(status, 'SourceResolved')]
  const saysLimited = (type: Condition['type']) => attributesIn(conditionOf(status, type))?.saysLimited === true
  return {
    isReported: ready !== undefined,
    emptied: ofReady?.empties,
    ofWritten: ofReady?.saysWhyWritten ? ready : undefined,
    told: conditionOf(status, 'Progressing')?.message,
    isOver: ofReady?.ends === true,
    waitsForAnother: ofReady?.wakesWhenAnotherEnds === true,
    lacksTemplateSince: attributesIn(ofSource)?.lacksTemplate ? ofSource?.lastTransitionTime : undefined,
    limited: { active: saysLimited('CutOver'), preview: saysLimited('Paused') },
  }
}

const conditionOf = (status: ExperimentDeploymentStatus | undefined, type: Condition['type']) =>
  status?.conditions?.find((each) => each.type === type)

const attributesIn = (condition: Condition | undefined) =>
  isReason(condition?.reason) ? attributesOf(condition.reason) : undefined
