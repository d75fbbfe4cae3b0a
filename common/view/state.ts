import { readyOf } from '../api/conditions.ts'
import { attributesOf, isReason } from '../api/reasons.ts'
import type { Condition, ExperimentDeployment } from '../api/types.ts'
import type { State } from './experiment-view.ts'

/** The condition of a type that the status of an experiment has, whatever its status is. */
export const conditionOf = ({ status }: ExperimentDeployment, type: Condition['type']): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type)

const isTrue = (experiment: ExperimentDeployment, type: Condition['type']): boolean =>
  conditionOf(experiment, type)?.status === 'True'

/** The state that the reason of `Ready` means; undefined: none of its own, or a reason of another version. */
function stateOfReady({ status }: ExperimentDeployment) {
  const reason = readyOf(status)?.reason
  return isReason(reason) ? attributesOf(reason).state : undefined
}

/** Whether the status is about the present spec. */
export const isObserved = ({ status, metadata }: ExperimentDeployment): boolean =>
  status?.observedGeneration !== undefined && status.observedGeneration >= metadata.generation

type Rule = (experiment: ExperimentDeployment) => boolean

const RULES: readonly (readonly [State, Rule])[] = [
  ['Terminating', ({ metadata }) => metadata.deletionTimestamp !== undefined],
  ['Ended', (of) => stateOfReady(of) === 'Ended'],
  [
    'Failed',
    (of) =>
      of.status?.strategy?.path === 'Abort' || stateOfReady(of) === 'Failed' || of.status?.analysis?.verdict === 'Fail',
  ],
  ['Stalled', (of) => isTrue(of, 'Stalled')],
  ['Paused', (of) => isTrue(of, 'Paused')],
  ['Progressing', (of) => !isObserved(of) || !isTrue(of, 'Ready')],
  ['Idle', (of) => stateOfReady(of) === 'Idle'],
]

/** The state of an experiment: the first one that holds. */
export const stateOf = (experiment: ExperimentDeployment): State =>
  RULES.find(([, holds]) => holds(experiment))?.[0] ?? 'Running'
