import type { Reason } from '../api/reasons.ts'
import type { CommandAnswer, CommandStatus, PromotionStatus, SeenSource } from '../api/strategy.ts'
import { type Command, type CommandVerb, isOfRevision, lacksStamp, STOPPING } from './command-text.ts'
import type { RunStep } from './compile.ts'
import { approvedNow, atStep, phaseOf, type Run, withoutApproval } from './run.ts'
import { seenByPromoter, withSeen } from './seen-source.ts'

/** What a command does: it moves the run, or not, and says why. */
export type CommandResult =
  | { readonly is: 'Done'; readonly run: Run; readonly reason: Reason; readonly message: string }
  | { readonly is: Exclude<CommandAnswer, 'Done'>; readonly message: string }

/** What else an answer depends on. */
export interface CommandContext {
  readonly now: Date
  /** of this run */
  readonly promotion: PromotionStatus | undefined
  /** whether the source may have the change of this run */
  readonly mayHaveWritten: boolean
  /** the creation of the experiment, in RFC 3339 */
  readonly createdAt?: string | undefined
  /** why no command is obeyed any more; undefined: they are */
  readonly over?: string | undefined
  /** what the source has now; undefined: it is not known */
  readonly sourceNow?: () => SeenSource | undefined
  /** why an undo would do nothing; absent: it can be made, or that is not known */
  readonly noUndo?: string | undefined
  /** why an undo cannot be aborted now; absent: it can */
  readonly noAbort?: string | undefined
  /** why nobody can have tested the fork through its preview */
  readonly previewObstacle?: string | undefined
}

/** How far the clocks of the webhook and of the controller may differ, in milliseconds. */
const CLOCK_SKEW_MS = 60_000

/**
 * Whether the run has answered `command` before. A command without a stamp is answered again only after another one.
 */
export const isAnswered = ({ verb, stamp }: Command, answered: CommandStatus | undefined): boolean =>
  stamp ? answered?.at === stamp.at : answered?.verb === verb && answered.at === undefined

/**
 * What `command` does to `run`. Both programs use it: the webhook refuses a command that is not `Done`, and the
 * controller obeys one that is. A command is stale if its author saw another step, or another revision, unless it is
 * `undo`.
 */
export function resultOfCommand(
  command: Command,
  run: Run,
  steps: readonly RunStep[],
  context: CommandContext,
): CommandResult {
  const { verb, stamp } = command
  if (context.over !== undefined) return refused(`${verb}: ${context.over}`)
  if (lacksStamp(command))
    return refused(
      `${verb} must be set while the webhook is running, which checks your permissions; remove the annotation and set it again`,
    )
  // it comes from a backup, and was given to a run of the former experiment
  if (stamp && Date.parse(stamp.at) < Date.parse(context.createdAt ?? '') - CLOCK_SKEW_MS)
    return { is: 'Stale', message: `${verb} was given before the experiment was created; ${REPEAT}` }
  if (stamp && !STOPPING.includes(verb)) {
    const other = otherRevision(command, run)
    if (other !== undefined) return { is: 'Stale', message: other }
    if (stamp.step !== run.stepIndex) return { is: 'Stale', message: otherStep(command, stamp.step, run, steps) }
    // an undo is about what the record says, whatever others have made of the source since
    if (verb !== 'undo' && !isOfRevision(command, run))
      return { is: 'Stale', message: `${verb} was given for another revision than the present one; ${REPEAT}` }
    // the clock may have been ahead when the step began
    const sinceMs = Math.min(Date.parse(run.since), context.now.getTime())
    if (Date.parse(stamp.at) < sinceMs - CLOCK_SKEW_MS)
      return { is: 'Stale', message: `${verb} was given before the present step began; ${REPEAT}` }
  }
  return effectOf(command, run, steps, context)
}

const otherStep = ({ verb, saw }: Command, index: number, run: Run, steps: readonly RunStep[]): string =>
  saw?.named === 'step'
    ? `${verb} names step ${index + 1}, and the run is at ${placeOf(run, steps)}`
    : `${verb} was given at step ${index + 1}; the run is at ${placeOf(run, steps)}; ${REPEAT}`

/** Commands that move a run on. Given twice, they would also end the next step. */
const MOVING: readonly CommandVerb[] = ['resume', 'promote']

/** How long after a step began a command may be meant for the one before, in milliseconds. */
const OUTRUN_MS = 3_000

/**
 * Why `command` may be meant for an earlier step than the present one; undefined if it is not. When two requests meet,
 * the API server repeats one of them, and its stamp is made again: it then has a step that its author never saw. So a
 * command that names no step is not about one that the run has just reached, if another such command brought it there
 * or could have been meant before.
 */
export function outrun({ verb, stamp, saw }: Command, run: Run, steps: readonly RunStep[]): string | undefined {
  if (!stamp || !saw || saw.named === 'step' || !MOVING.includes(verb)) return undefined
  const { command, since, stepIndex } = run
  const isByCommand = command?.verb === verb && command.answer === 'Done'
  const hasPaused = verb === 'resume' && steps.slice(0, stepIndex).some(({ is }) => is === 'pause' || is === 'analysis')
  const isOf = (time: string) => Math.abs(Date.parse(stamp.at) - Date.parse(time)) < OUTRUN_MS
  const isNew = isOf(since) || (isByCommand && command.at !== undefined && isOf(command.at))
  if (!isNew || !(isByCommand || hasPaused)) return undefined
  const place = `the run came to ${placeOf(run, steps)}, less than three seconds ago`
  return `${verb}: ${place}; repeat it, or write ${verb} step=${stepIndex + 1}`
}

/** Why the revision that `promote` names is not that of the run; undefined if it is, or if it names none. */
function otherRevision({ saw }: Command, { wholeRevision }: Run): string | undefined {
  if (saw?.named !== 'revision' || saw.revision === undefined || saw.revision === wholeRevision) return undefined
  if (wholeRevision === undefined) return 'promote: the revision is not known now; repeat it later'
  if (saw.revision.length < wholeRevision.length) return `promote takes the whole revision: promote ${wholeRevision}`
  return `promote names another revision than the present one, which is ${wholeRevision}; look at its plan first`
}

function effectOf(command: Command, run: Run, steps: readonly RunStep[], context: CommandContext): CommandResult {
  const { verb } = command
  const { now, promotion, mayHaveWritten } = context
  const [phase, step] = [phaseOf(run, steps), steps[run.stepIndex]?.is]
  const remedy = promotion?.record ? 'use undo' : 'revert that change where it is declared'
  const nothing = (what: string) => refused(`${verb}: ${what}; ${placeOf(run, steps)}`)
  const done = (to: Run, reason: Reason, message: string): CommandResult => ({ is: 'Done', run: to, reason, message })
  const { held: isHeld, ...others } = run
  switch (verb) {
    case 'pause':
      if (run.path !== 'Forward' || !step) return nothing('the run does not go forward')
      if (mayHaveWritten) return nothing(`the source may have the change; ${remedy}`)
      return done({ ...run, held: true }, 'PausedByCommand', `paused at ${placeOf(run, steps)}`)
    case 'resume': {
      const isAtPause = step === 'pause' || step === 'analysis'
      if (step === 'await' && !isHeld) return nothing('the run waits for promote')
      if (step === 'promote' && !isHeld) return nothing('the run is at its promotion')
      if (phase !== 'Paused' || !(isAtPause || isHeld)) return nothing('nothing is paused')
      const next = isAtPause ? atStep(others, { stepIndex: run.stepIndex + 1 }, now) : others
      return done(next, 'Resumed', `goes on after ${placeOf(run, steps)}`)
    }
    case 'promote': {
      const index = steps.findIndex(({ is }) => is === 'promote')
      if (run.path !== 'Forward' || run.stepIndex > index) return nothing('there is nothing to promote')
      const isBeforeCutOver = run.stepIndex <= steps.findIndex(({ is }) => is === 'cutOver')
      if (isBeforeCutOver && context.previewObstacle !== undefined) return nothing(context.previewObstacle)
      const seen = seenByPromoter(command.saw?.values, run, context.sourceNow ?? (() => undefined))
      const isBeingWritten = promotion?.record !== undefined && !promotion.written && isSeen(run, seen)
      if (run.stepIndex === index && isBeingWritten && !isHeld) return nothing('it is being promoted')
      const approved = steps.some(({ is }) => is === 'await') ? approvedNow(others) : others
      const promoted = seen ? withSeen(approved, seen, false) : approved
      return done(atStep(promoted, { stepIndex: index }, now), 'Promoting', `promotes at ${placeOf(run, steps)}`)
    }
    case 'undo':
      if (run.path === 'Undo') return nothing(step ? 'it is being undone' : 'it was undone')
      // after an undo that was aborted, the record is still there
      if (run.path === 'Abort' ? !promotion?.record : !(promotion?.record || promotion?.written))
        return nothing('nothing was written')
      if (context.noUndo !== undefined) return refused(`undo: ${context.noUndo}; change the source by hand`)
      if (!promotion?.record)
        return nothing('the source was changed by others; revert that change where it is declared')
      return done(atStep(others, { path: 'Undo', stepIndex: 0 }, now), 'Undoing', `undone at ${placeOf(run, steps)}`)
    case 'abort': {
      const [aborted, place] = [atStep(others, { path: 'Abort', stepIndex: 0 }, now), placeOf(run, steps)]
      if (run.path === 'Undo' && context.noAbort !== undefined) return nothing(context.noAbort)
      if (run.path === 'Undo' && step === 'restore')
        return done(aborted, 'Aborted', `the undo was aborted at ${place}; the source stays as it is`)
      if (run.path !== 'Forward') return nothing('the run does not go forward')
      if (mayHaveWritten) return nothing(`the source may have the change; ${remedy}`)
      return done(aborted, 'Aborted', `aborted at ${place}`)
    }
    case 'retry':
      if (phase === 'Aborting' || phase === 'Undoing')
        return nothing('the run is still on its way back; repeat it later')
      if (phase !== 'Aborted' && phase !== 'Undone') return nothing('the run was not aborted')
      // the next run would lose the record of the former values
      if (isAbortedUndo(run, context)) return nothing('the source may have the change; use undo first')
      return done(again(others, now), 'Retried', 'begins again at its first step')
  }
}

/** Whether an undo was aborted, so that the source may have the change. Then `undo` can be given, and no `retry`. */
export const isAbortedUndo = (
  { path }: Run,
  { promotion, mayHaveWritten }: Pick<CommandContext, 'promotion' | 'mayHaveWritten'>,
): boolean => path === 'Abort' && promotion?.record !== undefined && mayHaveWritten

/** Whether the run promotes what its promoter saw: over the same values, and the same revision. */
const isSeen = ({ seen: before, wholeRevision }: Run, seen: SeenSource | undefined): boolean =>
  before?.values === seen?.values && (before?.revision ?? wholeRevision) === wholeRevision

/** The next run of the same strategy. */
export const again = ({ seen: _former, ...run }: Run, now: Date): Run => ({
  ...atStep(withoutApproval(run), { path: 'Forward', stepIndex: 0 }, now),
  attempt: (run.attempt ?? 0) + 1,
})

const REPEAT = 'repeat it if you still mean it'

const refused = (message: string): CommandResult => ({ is: 'Refused', message })

/** `step 2 of 5, Paused`. */
export const placeOf = (run: Run, steps: readonly RunStep[]): string =>
  `step ${Math.min(run.stepIndex + 1, steps.length)} of ${steps.length}, ${phaseOf(run, steps)}`
