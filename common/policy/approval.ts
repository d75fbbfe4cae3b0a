import { COMMAND, COMMAND_BY, REQUESTED_BY } from '../api/names.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { isAnswered, parseCommand } from '../strategy/command.ts'
import { compileSteps, type RunStep } from '../strategy/compile.ts'
import { type StrategyRunSpec, strategyRunSpec } from '../strategy/run-spec.ts'
import { actionsOf, type ExperimentPolicy } from './policy.ts'

/** The field of the error about a command. */
export const COMMAND_FIELD = `metadata.annotations[${JSON.stringify(COMMAND)}]`

/** The field of the error about an approval by the spec. */
const APPROVAL_FIELD = 'spec.promotion.approvedRevision'

/** A command, or a revision in the spec, by which a run promotes or cuts over. */
interface Approval {
  readonly field: string
  /** who gave it; undefined: it is not known */
  readonly by: string | undefined
  /** what another user must do */
  readonly remedy: string
}

/** Whether one of `policies`, which apply, refuses an approval by the user who last changed the spec. */
export const needsOtherApprover = (policies: readonly ExperimentPolicy[]): boolean =>
  policies.some(({ spec }) => spec.approverNotRequester === true && actionsOf(spec).includes('Deny'))

/**
 * The error unless somebody other than who last changed the spec approves what the run does next. The webhook writes
 * who changed the spec, and who gave the command or set the approved revision. What is not known approves nothing.
 */
export function missingApproval(experiment: ExperimentDeployment): FieldError | undefined {
  const spec = strategyRunSpec(experiment.spec)
  const approval = spec && (commandOf(experiment, spec) ?? approvalOf(experiment, spec))
  const requester = experiment.metadata.annotations?.[REQUESTED_BY]
  if (!approval || (requester !== undefined && approval.by !== undefined && approval.by !== requester)) return undefined
  const { field, remedy } = approval
  const message =
    requester === undefined
      ? 'the author of the last change of the spec is unknown; change it again, then another user can promote it'
      : `somebody other than ${JSON.stringify(requester)}, who last changed the spec, must ${remedy}`
  return { field, message, cause: 'FieldValueForbidden' }
}

/**
 * The command of the present run that promotes it, or lets it cut over. One that was answered counts as long as the run
 * promotes by nothing else. A command without a stamp is never obeyed.
 */
function commandOf({ status, metadata }: ExperimentDeployment, spec: StrategyRunSpec): Approval | undefined {
  const { [COMMAND]: text = '', [COMMAND_BY]: by } = metadata.annotations ?? {}
  const command = parseCommand(text)
  const run = status?.strategy
  if (!command?.stamp || !run || command.stamp.revision !== run.revision) return undefined
  const isOver = isAnswered(command, run.command)
  const { verb, stamp } = command
  if (verb === 'promote')
    return isOver && spec.mode !== 'Manual' ? undefined : { field: COMMAND_FIELD, by, remedy: 'promote it' }
  if (verb !== 'resume' || isOver || stamp.step !== run.stepIndex || run.path !== 'Forward') return undefined
  return isBeforeCutOver(compileSteps(spec, 'Forward'), run.stepIndex)
    ? { field: COMMAND_FIELD, by, remedy: 'resume it, because it cuts over' }
    : undefined
}

/** Whether the run reaches a cut-over from this step without waiting for a person or a verdict. */
function isBeforeCutOver(steps: readonly RunStep[], index: number): boolean {
  const next = steps.slice(index + 1).find((step) => step.is === 'cutOver' || waitsForSomebody(step))
  return steps[index]?.is === 'cutOver' || next?.is === 'cutOver'
}

const waitsForSomebody = (step: RunStep): boolean =>
  step.is === 'await' || step.is === 'analysis' || (step.is === 'pause' && step.seconds === undefined)

/**
 * The approval of the present revision in the spec. Its author is known unless somebody gave a command after it: both
 * are in one annotation. The author of a command is removed with it.
 */
function approvalOf({ status, metadata }: ExperimentDeployment, spec: StrategyRunSpec): Approval | undefined {
  const { approvedRevision, mode } = spec
  const revision = status?.strategy?.revision ?? approvedRevision
  if (mode !== 'Manual' || approvedRevision === undefined || approvedRevision !== revision) return undefined
  const { [COMMAND]: command, [COMMAND_BY]: by } = metadata.annotations ?? {}
  const remedy = 'set it in a separate update, or give the command promote'
  return { field: APPROVAL_FIELD, by: command === undefined ? by : undefined, remedy }
}

/** Who approved the present revision by the spec; undefined if nobody did, or if it is not known. */
export const approverOf = (experiment: ExperimentDeployment): string | undefined => {
  const spec = strategyRunSpec(experiment.spec)
  return experiment.status?.strategy && spec && approvalOf(experiment, spec)?.by
}
