import { COMMAND, COMMAND_BY, COMMAND_SAW } from '../../common/api/names.ts'
import type { FieldError } from '../../common/api/types.ts'
import { type CommandContext, outrun, placeOf, resultOfCommand } from '../../common/strategy/command.ts'
import {
  COMMAND_VERBS,
  type Command,
  commandIn as commandOf,
  lacksStamp,
  parseCommand,
} from '../../common/strategy/command-text.ts'
import type { RunStep } from '../../common/strategy/compile.ts'
import type { Run } from '../../common/strategy/run.ts'
import { alternatives } from '../../common/text/list.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { setsApproval } from './approval.ts'
import {
  authorIn,
  commandIn,
  keptAuthor,
  keptSaw,
  newCommand,
  removesCommand,
  seenIn,
  storedIn,
  textIn,
  waitingCommand,
} from './command.ts'

/** An error if a request without a new command changes what the author of the stored one saw. */
function sawErrors(request: AdmissionRequest): readonly FieldError[] {
  const [saw, kept] = [textIn(request.object, COMMAND_SAW), keptSaw(request)]
  if (newCommand(request) !== undefined || saw === kept) return []
  const remedy = kept === undefined ? 'remove it' : 'leave it as it is'
  return [forbidden(COMMAND_SAW, `is set by the webhook to what the author of the command saw; ${remedy}`)]
}

/** How far the time in a stamp may be from now: it is made in the same request. */
const STAMP_MS = 60_000

/** The run to which a command is given: undefined for an experiment without a strategy. */
export interface CommandedRun extends Omit<CommandContext, 'now'> {
  /** with the revision that the plan has */
  readonly run: Run
  readonly steps: readonly RunStep[]
}

/** What is wrong with the command of a request, or with the name of its author; nothing for a request without one. */
export function commandErrors(
  request: AdmissionRequest,
  commanded: CommandedRun | undefined,
  now: Date,
): readonly FieldError[] {
  const text = newCommand(request)
  const forged = [...authorErrors(request), ...sawErrors(request)]
  if (text === undefined) return forged
  const refused = mistakeIn(request, text, commanded, now)
  return refused === undefined ? forged : [...forged, forbidden(COMMAND, refused)]
}

/**
 * An error if the request names another author of the command than the expected one. It may name no author if the
 * webhook has not stamped the command.
 */
export function authorErrors(request: AdmissionRequest): readonly FieldError[] {
  const [author, before] = [authorIn(request.object), authorIn(storedIn(request))]
  const isApproval = request.operation === 'UPDATE' && setsApproval(request) && commandIn(request.object) === undefined
  const isWord = newCommand(request) !== undefined || isApproval
  if (author === (isWord ? request.userInfo.username : keptAuthor(request))) return []
  if (author !== undefined && author === before && !removesCommand(request))
    return [
      forbidden(
        COMMAND_BY,
        'names an earlier author, because the mutating webhook did not answer in time; repeat the command',
      ),
    ]
  if (author !== undefined)
    return [forbidden(COMMAND_BY, 'is set by the webhook to the author of the command; remove it')]
  return parseCommand(commandIn(request.object) ?? '')?.stamp
    ? [forbidden(COMMAND_BY, 'is missing beside a stamp; set the command without a stamp')]
    : []
}

function mistakeIn(
  request: AdmissionRequest,
  text: string,
  commanded: CommandedRun | undefined,
  now: Date,
): string | undefined {
  const command = commandOf({ [COMMAND]: text, [COMMAND_SAW]: textIn(request.object, COMMAND_SAW) ?? '' })
  if (!command) return `is not a command; use ${alternatives(COMMAND_VERBS)}`
  if (!commanded) return 'the experiment has no strategy; remove it'
  if (request.operation === 'CREATE') return 'nothing runs yet; remove it'
  // it is not stored, so there is nothing to remove
  if (lacksStamp(command))
    return seenIn(request)
      ? `${command.verb} was not stamped, because the mutating webhook did not answer in time; repeat it`
      : `${command.verb}: the run has not begun; repeat it later`
  const { stamp } = command
  if (stamp && Math.abs(Date.parse(stamp.at) - now.getTime()) > STAMP_MS)
    return `was not stamped in the last minute; use "${command.verb}" alone`
  const { run, steps, ...context } = commanded
  const answer = resultOfCommand(command, run, steps, { now, ...context })
  if (answer.is !== 'Done') return answer.message
  return givenBefore(request, command, commanded, now) ?? outrun(command, run, steps) ?? outdated(command, commanded)
}

/** The refusal of a command, because the controller is about to obey the same one; undefined if it is not. */
function givenBefore(
  request: AdmissionRequest,
  { verb }: Command,
  { run, steps, ...context }: CommandedRun,
  now: Date,
): string | undefined {
  const waiting = waitingCommand(request)
  if (verb === 'pause' || verb === 'abort' || waiting?.verb !== verb) return undefined
  const isObeyed = resultOfCommand(waiting, run, steps, { now, ...context }).is === 'Done'
  return isObeyed ? `${verb} was given already, at ${placeOf(run, steps)}, and is about to be carried out` : undefined
}

/** Why `promote` is not about the source as it is now: both webhooks read it, and its plan is printed. */
function outdated({ verb, saw }: Command, { sourceNow }: CommandedRun): string | undefined {
  const now = verb === 'promote' && saw?.values !== undefined ? sourceNow?.() : undefined
  return now === undefined || now.values === saw?.values
    ? undefined
    : 'promote: somebody changed the source at this moment; repeat it'
}

const forbidden = (key: string, message: string): FieldError => ({
  field: `metadata.annotations[${JSON.stringify(key)}]`,
  message,
  cause: 'FieldValueForbidden',
})
