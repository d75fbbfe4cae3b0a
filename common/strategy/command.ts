import { COMMAND, COMMAND_SAW } from '../api/names.ts'
import type { Labels } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { CommandAnswer, CommandStatus, PromotionStatus } from '../api/strategy.ts'
import type { RunStep } from './compile.ts'
import { approvedNow, atStep, phaseOf, type Run, withoutApproval } from './run.ts'

/** The commands that a person can give to a run. */
export const COMMAND_VERBS = ['pause', 'resume', 'promote', 'abort', 'undo', 'retry'] as const
export type CommandVerb = (typeof COMMAND_VERBS)[number]

/** Commands that only stop something: they need no stamp and apply to any step. */
const STOPPING: readonly CommandVerb[] = ['pause', 'abort']

/**
 * A command in the annotation. The webhook stamps it with what its author saw: the step and the revision, and the time
 * in RFC 3339 with milliseconds.
 */
export interface Command {
  readonly verb: CommandVerb
  readonly stamp?: { readonly step: number; readonly revision: string; readonly at: string }
  /** the revision that `promote` names, before it is stamped */
  readonly named?: string
  /** what the webhook wrote beside the stamp; absent: an earlier version stamped it */
  readonly saw?: Saw
}

/**
 * What the author of a command saw, in whole. It is in an annotation of its own, because an earlier version reads no
 * longer stamp. `at` is that of the stamp to which it belongs.
 */
export interface Saw {
  readonly at: string
  readonly step: number
  /** whole, or what `promote` names; absent: the status had none */
  readonly revision?: string
  /** whether `promote` names the revision */
  readonly isNamed: boolean
}

/** Reads what `formatSaw` writes; undefined if it is something else. Fields that it does not know are left out. */
export function parseSaw(text: string): Saw | undefined {
  const { at, step, revision, named } = Object.fromEntries(text.split(' ').map((field) => field.split('=', 2)))
  if (at === undefined || !/^\d{1,4}$/.test(step ?? '')) return undefined
  return { at, step: Number(step), isNamed: named === 'revision', ...(revision === undefined ? {} : { revision }) }
}

/** `at=2026-11-21T14:05:03.120Z step=1 revision=… named=revision`. */
export const formatSaw = ({ at, step, revision, isNamed }: Saw): string =>
  [
    `at=${at}`,
    `step=${step}`,
    ...(revision === undefined ? [] : [`revision=${revision}`]),
    ...(isNamed ? ['named=revision'] : []),
  ].join(' ')

/** The command in the annotations of an experiment, with what its author saw; undefined if there is none. */
export function commandIn({ [COMMAND]: text = '', [COMMAND_SAW]: seen = '' }: Labels = {}): Command | undefined {
  const [command, saw] = [parseCommand(text), parseSaw(seen)]
  return command?.stamp && saw?.at === command.stamp.at ? { ...command, saw } : command
}

/**
 * Whether `command` is about the revision of `run`: by the whole one that its author saw, where both are known. The
 * stamp has the short one.
 */
export const isOfRevision = ({ stamp, saw }: Command, run: Pick<Run, 'revision' | 'wholeRevision'>): boolean =>
  stamp?.revision === run.revision &&
  (saw?.revision === undefined || run.wholeRevision === undefined || saw.revision === run.wholeRevision)

/**
 * Reads `abort`, `promote REVISION` or `resume step=1 revision=1f2e3d4c5b at=2026-11-21T14:05:03.120Z`; undefined if it
 * is none of these.
 */
export function parseCommand(text: string): Command | undefined {
  const [, named] = /^promote ([0-9a-f]{1,64})$/.exec(text) ?? []
  if (named !== undefined) return { verb: 'promote', named }
  const [, word, step, revision, at] =
    /^([a-z]{1,10})(?: step=(\d{1,4}) revision=([0-9a-f]{1,64}) at=([\dT:.-]{10,30}Z))?$/.exec(text) ?? []
  const verb = COMMAND_VERBS.find((each) => each === word)
  if (!verb) return undefined
  if (step === undefined || revision === undefined || at === undefined) return { verb }
  return Number.isNaN(Date.parse(at)) ? undefined : { verb, stamp: { step: Number(step), revision, at } }
}

/** Whether `command` needs a stamp, and has none. */
export const lacksStamp = ({ verb, stamp }: Command): boolean => !stamp && !STOPPING.includes(verb)

/** The text of a command. */
export const formatCommand = ({ verb, stamp }: Command): string =>
  stamp ? `${verb} step=${stamp.step} revision=${stamp.revision} at=${stamp.at}` : verb

/** What a command does: it moves the run, or not, and says why. */
export type CommandResult =
  | { readonly is: 'Done'; readonly run: Run; readonly reason: Reason; readonly message: string }
  | { readonly is: Exclude<CommandAnswer, 'Done'>; readonly message: string }

/** What else an answer depends on. */
interface CommandContext {
  readonly now: Date
  /** of this run */
  readonly promotion: PromotionStatus | undefined
  /** whether the source may have the change of this run */
  readonly mayHaveWritten: boolean
  /** the creation of the experiment, in RFC 3339 */
  readonly createdAt?: string | undefined
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
 * controller obeys one that is. A command is stale if its author saw another step or revision.
 */
export function resultOfCommand(
  command: Command,
  run: Run,
  steps: readonly RunStep[],
  context: CommandContext,
): CommandResult {
  const { verb, stamp } = command
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
    if (stamp.step !== run.stepIndex || !isOfRevision(command, run))
      return {
        is: 'Stale',
        message: `${verb} was given at step ${stamp.step + 1}; the run is at ${placeOf(run, steps)}; ${REPEAT}`,
      }
    // the clock may have been ahead when the step began
    const sinceMs = Math.min(Date.parse(run.since), context.now.getTime())
    if (Date.parse(stamp.at) < sinceMs - CLOCK_SKEW_MS)
      return { is: 'Stale', message: `${verb} was given before the present step began; ${REPEAT}` }
  }
  return effectOf(verb, run, steps, context)
}

/** Why the revision that `promote` names is not that of the run; undefined if it is, or if it names none. */
function otherRevision({ saw }: Command, { wholeRevision }: Run): string | undefined {
  if (!saw?.isNamed || saw.revision === undefined || saw.revision === wholeRevision) return undefined
  if (wholeRevision === undefined) return 'promote: the revision is not known now; repeat it later'
  if (saw.revision.length < wholeRevision.length) return `promote takes the whole revision: promote ${wholeRevision}`
  return `promote names another revision than the present one, which is ${wholeRevision}; look at its plan first`
}

function effectOf(verb: CommandVerb, run: Run, steps: readonly RunStep[], context: CommandContext): CommandResult {
  const { now, promotion, mayHaveWritten } = context
  const phase = phaseOf(run, steps)
  const remedy = promotion?.record ? 'use undo' : 'revert that change where it is declared'
  const nothing = (what: string) => refused(`${verb}: ${what}; ${placeOf(run, steps)}`)
  const done = (to: Run, reason: Reason, message: string): CommandResult => ({ is: 'Done', run: to, reason, message })
  const { held: isHeld, ...others } = run
  switch (verb) {
    case 'pause':
      if (run.path !== 'Forward' || !steps[run.stepIndex]) return nothing('the run does not go forward')
      if (mayHaveWritten) return nothing(`the source may have the change; ${remedy}`)
      return done({ ...run, held: true }, 'PausedByCommand', `paused at ${placeOf(run, steps)}`)
    case 'resume': {
      const step = steps[run.stepIndex]?.is
      const isAtPause = step === 'pause' || step === 'analysis'
      if (step === 'await' && !isHeld) return nothing('the run waits for promote')
      if (phase !== 'Paused' || !(isAtPause || isHeld)) return nothing('nothing is paused')
      const next = isAtPause ? atStep(others, { stepIndex: run.stepIndex + 1 }, now) : others
      return done(next, 'Resumed', `goes on after ${placeOf(run, steps)}`)
    }
    case 'promote': {
      const index = steps.findIndex(({ is }) => is === 'promote')
      if (run.path !== 'Forward' || run.stepIndex > index) return nothing('there is nothing to promote')
      const isBeingWritten = promotion?.record !== undefined && !promotion.written
      if (run.stepIndex === index && isBeingWritten && !isHeld) return nothing('it is being promoted')
      const approved = steps.some(({ is }) => is === 'await') ? approvedNow(others) : others
      return done(atStep(approved, { stepIndex: index }, now), 'Promoting', `promotes at ${placeOf(run, steps)}`)
    }
    case 'undo':
      if (run.path !== 'Forward' || !(promotion?.record || promotion?.written)) return nothing('nothing was written')
      if (!promotion.record) return nothing('the source was changed by others; revert that change where it is declared')
      return done(atStep(others, { path: 'Undo', stepIndex: 0 }, now), 'Undoing', `undone at ${placeOf(run, steps)}`)
    case 'abort':
      if (mayHaveWritten) return nothing(`the source may have the change; ${remedy}`)
      if (run.path !== 'Forward') return nothing('the run does not go forward')
      return done(atStep(others, { path: 'Abort', stepIndex: 0 }, now), 'Aborted', `aborted at ${placeOf(run, steps)}`)
    case 'retry':
      if (phase !== 'Aborted' && phase !== 'Undone') return nothing('the run was not aborted')
      return done(again(others, now), 'Retried', 'begins again at its first step')
  }
}

/** The next run of the same strategy. */
const again = (run: Run, now: Date): Run => ({
  ...atStep(withoutApproval(run), { path: 'Forward', stepIndex: 0 }, now),
  attempt: (run.attempt ?? 0) + 1,
})

const REPEAT = 'repeat it if you still mean it'

const refused = (message: string): CommandResult => ({ is: 'Refused', message })

/** `step 2 of 5, Paused`. */
const placeOf = (run: Run, steps: readonly RunStep[]): string =>
  `step ${Math.min(run.stepIndex + 1, steps.length)} of ${steps.length}, ${phaseOf(run, steps)}`
