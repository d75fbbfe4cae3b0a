import { DEFAULTS } from '../../common/api/defaults.ts'
import {
  COMMAND,
  COMMAND_BY,
  COMMAND_SAW,
  REQUESTED_BY,
  REVIEWED_REPLICAS,
  REVIEWED_TEMPLATE,
} from '../../common/api/names.ts'
import type { CommandStatus, PromotionStatus } from '../../common/api/strategy.ts'
import type { FieldError } from '../../common/api/types.ts'
import { at, isEqual, objectOr, textOr } from '../../common/json/json.ts'
import {
  COMMAND_VERBS,
  type CommandVerb,
  commandIn as commandOf,
  formatCommand,
  formatSaw,
  isAnswered,
  lacksStamp,
  parseCommand,
  resultOfCommand,
} from '../../common/strategy/command.ts'
import type { RunStep } from '../../common/strategy/compile.ts'
import type { Run } from '../../common/strategy/run.ts'
import { alternatives } from '../../common/text/list.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { setsApproval } from './approval.ts'

const textIn = (object: unknown, key: string): string | undefined => {
  const text = at(object, 'metadata', 'annotations', key)
  return typeof text === 'string' ? text : undefined
}

const commandIn = (object: unknown): string | undefined => textIn(object, COMMAND)

/** The command of a request that sets or changes it; undefined for every other request. */
export const newCommand = (request: AdmissionRequest): string | undefined => {
  const text = commandIn(request.object)
  return text === commandIn(storedIn(request)) ? undefined : text
}

/** The verb of the command that the request sets or changes; undefined for every other request. */
export const newVerb = (request: AdmissionRequest): CommandVerb | undefined =>
  parseCommand(newCommand(request) ?? '')?.verb

/** Whether the request sets the command `promote`. */
export const isPromoteCommand = (request: AdmissionRequest): boolean => newVerb(request) === 'promote'

/**
 * Whether the request only stops the run: it sets the command `abort`, stamped or not, and leaves the spec and what was
 * reviewed as they are.
 */
export function isAbortOnly(request: AdmissionRequest): boolean {
  if (request.operation !== 'UPDATE' || newVerb(request) !== 'abort') return false
  const reviewed = ({ spec, metadata }: Readonly<Record<string, unknown>>) => [
    { ...DEFAULTS, ...objectOr(spec) },
    REVIEWS.map((key) => at(metadata, 'annotations', key)),
  ]
  return isEqual(reviewed(request.object), reviewed(request.oldObject))
}

const REVIEWS = [REQUESTED_BY, REVIEWED_REPLICAS, REVIEWED_TEMPLATE]

/** The object before the request; undefined for a new one. */
const storedIn = (request: AdmissionRequest): unknown =>
  request.operation === 'UPDATE' ? request.oldObject : undefined

/**
 * The annotations of the command after the request. A new command is stamped with the stored step and revision, and its
 * author is the requester; an unknown one stays as it is, and `/validate` refuses it. An approval in the spec also sets
 * the author and removes the last command, unless that waits for an answer. Without a run before or after the request,
 * the last command is removed, so that the next run does not obey it. A stamped command in a new experiment is removed,
 * too: it comes from a backup, and was given to a run of the former experiment. With a removed command its author is
 * removed too, who would otherwise count as the author of an approval.
 */
export function stamped(request: AdmissionRequest, now: Date): Readonly<Record<string, string | undefined>> {
  const text = newCommand(request)
  if (text === undefined && commandIn(request.object) !== undefined && !keepsRun(request))
    return { [COMMAND]: undefined, [COMMAND_BY]: undefined }
  if (text === undefined)
    return request.operation === 'UPDATE' && setsApproval(request) && !keepsWaiting(request)
      ? { [COMMAND]: undefined, [COMMAND_BY]: request.userInfo.username }
      : { [COMMAND_BY]: keptAuthor(request) }
  const command = parseCommand(text)
  if (command?.stamp && request.operation === 'CREATE') return { [COMMAND]: undefined, [COMMAND_BY]: undefined }
  const seen = seenIn(request)
  const author = { [COMMAND_BY]: request.userInfo.username }
  if (!command || command.stamp || !seen) return author
  const { step, revision } = seen
  return { ...author, [COMMAND]: formatCommand({ ...command, stamp: { step, revision, at: now.toISOString() } }) }
}

/**
 * What the author of the command saw, after the request: in whole, beside a stamp that was made at the same `now`. It
 * has the revision that a new command names. It stays and goes with its command.
 */
export function sawAfter(request: AdmissionRequest, now: Date): string | undefined {
  const text = newCommand(request)
  const isRemoved = Object.entries(stamped(request, now)).some(([key, value]) => key === COMMAND && value === undefined)
  if (text === undefined || isRemoved) return isRemoved ? undefined : keptSaw(request)
  const [command, seen] = [parseCommand(text), seenIn(request)]
  if (!command || command.stamp || !seen) return undefined
  const revision = command.named ?? seen.whole
  return formatSaw({
    at: now.toISOString(),
    step: seen.step,
    isNamed: command.named !== undefined,
    ...(revision === undefined ? {} : { revision }),
  })
}

/** What is stored of the run when a command to it comes; undefined before the controller has begun it. */
function seenIn(request: AdmissionRequest) {
  const status = at(storedIn(request), 'status', 'strategy')
  const [step, revision, whole] = [at(status, 'stepIndex'), at(status, 'revision'), at(status, 'wholeRevision')]
  return typeof step === 'number' && typeof revision === 'string'
    ? { step, revision, whole: typeof whole === 'string' ? whole : undefined }
    : undefined
}

/** Whether an experiment has a run: a strategy or a promotion. */
const hasRun = (object: unknown): boolean =>
  [at(object, 'spec', 'strategy'), at(object, 'spec', 'promotion')].some((part) => part !== undefined && part !== null)

/** Whether the experiment had a run before the request, and has one after it. */
const keepsRun = (request: AdmissionRequest): boolean => hasRun(request.object) && hasRun(storedIn(request))

/** Whether the request keeps a command that has not been answered yet. */
function keepsWaiting(request: AdmissionRequest): boolean {
  const command = parseCommand(commandIn(request.object) ?? '')
  const answered = at(storedIn(request), 'status', 'strategy', 'command') as CommandStatus | undefined
  return command !== undefined && !isAnswered(command, answered)
}

const authorIn = (object: unknown): string | undefined =>
  textOr(at(object, 'metadata', 'annotations', COMMAND_BY), '') || undefined

/** Whether the request removes the stored command. */
const removesCommand = (request: AdmissionRequest): boolean =>
  commandIn(request.object) === undefined && commandIn(storedIn(request)) !== undefined

/** The author after a request without a new command: the stored one, unless the request removes the command. */
const keptAuthor = (request: AdmissionRequest): string | undefined =>
  removesCommand(request) ? undefined : authorIn(storedIn(request))

/** What the author of the stored command saw, unless the request removes that command. */
const keptSaw = (request: AdmissionRequest): string | undefined =>
  removesCommand(request) ? undefined : textIn(storedIn(request), COMMAND_SAW)

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
export interface CommandedRun {
  readonly run: Run
  /** the whole revision that the request gives it; absent: that is not known */
  readonly wholeRevision?: string | undefined
  readonly steps: readonly RunStep[]
  readonly promotion: PromotionStatus | undefined
  /** whether the source may have the change of this run */
  readonly mayHaveWritten: boolean
  readonly createdAt?: string | undefined
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
  const { run: stored, wholeRevision, steps, ...others } = commanded
  const isNamed = command.saw?.isNamed === true && wholeRevision !== undefined
  const run = isNamed ? { ...stored, wholeRevision } : stored
  const answer = resultOfCommand(command, run, steps, { now, ...others })
  return answer.is === 'Done' ? undefined : answer.message
}

const forbidden = (key: string, message: string): FieldError => ({
  field: `metadata.annotations[${JSON.stringify(key)}]`,
  message,
  cause: 'FieldValueForbidden',
})
