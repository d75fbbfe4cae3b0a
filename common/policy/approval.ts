import { COMMAND, COMMAND_BY, IS_PREVIEW, REQUESTED_BY } from '../api/names.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { isAnswered } from '../strategy/command.ts'
import { type CommandVerb, commandIn, isOfRevision } from '../strategy/command-text.ts'
import { type Effect, effectsOf } from '../strategy/effects.ts'
import { isApprovalOf, type Run } from '../strategy/run.ts'
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
 * `previews` are the Services whose owners declared them as previews; undefined: they are not known.
 */
export function missingApproval(
  experiment: ExperimentDeployment,
  previews: readonly string[] | undefined,
): FieldError | undefined {
  const spec = strategyRunSpec(experiment.spec)
  const approval = spec && (commandOf(experiment, spec, previews) ?? approvalOf(experiment, spec))
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
 * The command of the present run that promotes it, or lets a Service send only to the fork. Of one that was answered,
 * only a promotion counts, as long as the run promotes by nothing else. A command without a stamp is never obeyed.
 */
function commandOf(
  { status, metadata }: ExperimentDeployment,
  spec: StrategyRunSpec,
  previews: readonly string[] | undefined,
): Approval | undefined {
  const by = metadata.annotations?.[COMMAND_BY]
  const command = commandIn(metadata.annotations)
  const run = status?.strategy
  if (!command?.stamp || !run || !isOfRevision(command, run)) return undefined
  const isOver = isAnswered(command, run.command)
  const { verb, stamp } = command
  if (verb === 'undo' || (verb === 'resume' && !isOver && stamp.step !== run.stepIndex)) return undefined
  const given = { path: run.path, stepIndex: stamp.step }
  const effects = effectsOf({ verb }, { spec, run: given, isApproved: isApproved(spec, run) })
  if (isOver) return effects.has('promote') && spec.mode === 'Manual' ? approvalBy(verb, by, 'it promotes') : undefined
  const why = reasonOf(effects, spec, previews)
  return why === undefined ? undefined : approvalBy(verb, by, why)
}

const approvalBy = (verb: CommandVerb, by: string | undefined, why: string): Approval => ({
  field: COMMAND_FIELD,
  by,
  remedy: verb === 'promote' ? 'promote it' : `${verb} it, because ${why}`,
})

/** Why somebody else must approve these effects; undefined if nobody must. */
function reasonOf(
  effects: ReadonlySet<Effect>,
  { blueGreen }: StrategyRunSpec,
  previews: readonly string[] | undefined,
): string | undefined {
  if (effects.has('promote')) return 'it promotes'
  if (effects.has('cutOver')) return 'it cuts over'
  const preview = effects.has('preview') ? blueGreen?.previewService : undefined
  return preview === undefined || previews?.includes(preview)
    ? undefined
    : `service/${preview} then sends only to the fork`
}

/**
 * The errors of a strategy whose author alone lets a Service send only to the fork: nobody else is asked before its
 * cut-over, or its preview is a Service whose owner did not declare it as one.
 */
export function unapprovedStrategy(
  experiment: ExperimentDeployment,
  previews: readonly string[] | undefined,
): readonly FieldError[] {
  const spec = strategyRunSpec(experiment.spec)
  if (!spec?.blueGreen) return []
  const effects = effectsOf({ isEdit: true }, { spec, run: undefined, isApproved: false })
  const { activeService, previewService = '' } = spec.blueGreen
  const cutOver = `nobody else is asked before the cut-over of service/${activeService}; set it to false; another user gives resume`
  const preview = `nobody else is asked before service/${previewService} sends only to the fork`
  const remedy = previews
    ? `its owner can declare it as a preview, by the annotation ${IS_PREVIEW}: "true"`
    : `whether it has the annotation ${IS_PREVIEW}: "true" is not known; create the source first, or try again`
  const isUndeclared = effects.has('preview') && !previews?.includes(previewService)
  return [
    ...(effects.has('cutOver') ? [forbidden('autoPromotionEnabled', cutOver)] : []),
    ...(isUndeclared ? [forbidden('previewService', `${preview}; ${remedy}`)] : []),
  ]
}

const forbidden = (key: string, message: string): FieldError => ({
  field: `spec.strategy.blueGreen.${key}`,
  message,
  cause: 'FieldValueForbidden',
})

/** Whether the spec approves a revision. */
const isApproving = ({ mode, approvedRevision }: StrategyRunSpec): boolean =>
  mode === 'Manual' && approvedRevision !== undefined

/** Whether the spec approves the revision of the run. */
const isApproved = (spec: StrategyRunSpec, run: Revisions): boolean =>
  isApproving(spec) && isApprovalOf(spec.approvedRevision, run)

type Revisions = Pick<Run, 'revision' | 'wholeRevision' | 'approvedRevision'>

/**
 * The approval of the present revision in the spec. Its author is known unless somebody gave a command after it: both
 * are in one annotation. The author of a command is removed with it.
 */
function approvalOf({ status, metadata }: ExperimentDeployment, spec: StrategyRunSpec): Approval | undefined {
  const run = status?.strategy
  if (run ? !isApproved(spec, run) : !isApproving(spec)) return undefined
  const { [COMMAND]: command, [COMMAND_BY]: by } = metadata.annotations ?? {}
  const remedy = 'set it in a separate update, or give the command promote'
  return { field: APPROVAL_FIELD, by: command === undefined ? by : undefined, remedy }
}

/**
 * The error for a command `promote` that does not name the revision: what is stored may have changed since its author
 * looked. One that was answered counts as for `missingApproval`.
 */
export function unnamedPromotion({ spec, status, metadata }: ExperimentDeployment): FieldError | undefined {
  const mode = strategyRunSpec(spec)?.mode
  const command = commandIn(metadata.annotations)
  const run = status?.strategy
  if (command?.verb !== 'promote' || !command.stamp || command.saw?.named === 'revision') return undefined
  if (!run || !isOfRevision(command, run) || (isAnswered(command, run.command) && mode !== 'Manual')) return undefined
  const remedy = `promote ${run.wholeRevision ?? 'REVISION'}`
  return { field: COMMAND_FIELD, message: `must name the revision: ${remedy}`, cause: 'FieldValueForbidden' }
}

/** Who approved the present revision by the spec; undefined if nobody did, or if it is not known. */
export const approverOf = (experiment: ExperimentDeployment): string | undefined => {
  const spec = strategyRunSpec(experiment.spec)
  return experiment.status?.strategy && spec && approvalOf(experiment, spec)?.by
}
