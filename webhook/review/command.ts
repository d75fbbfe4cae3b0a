import { DEFAULTS } from '../../common/api/defaults.ts'
import {
  COMMAND,
  COMMAND_BY,
  COMMAND_SAW,
  REQUESTED_BY,
  REVIEWED_REPLICAS,
  REVIEWED_TEMPLATE,
} from '../../common/api/names.ts'
import type { CommandStatus } from '../../common/api/strategy.ts'
import { at, isEqual, objectOr, textOr } from '../../common/json/json.ts'
import { isAnswered } from '../../common/strategy/command.ts'
import {
  type Command,
  type CommandVerb,
  commandIn as commandOf,
  formatCommand,
  formatSaw,
  parseCommand,
} from '../../common/strategy/command-text.ts'
import type { AdmissionRequest } from './admission-review.ts'
import { setsApproval } from './approval.ts'

/** The text of the annotation `key` of an object; undefined if it has none. */
export const textIn = (object: unknown, key: string): string | undefined => {
  const text = at(object, 'metadata', 'annotations', key)
  return typeof text === 'string' ? text : undefined
}

/** The text of the command of an object; undefined if it has none. */
export const commandIn = (object: unknown): string | undefined => textIn(object, COMMAND)

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
export const storedIn = (request: AdmissionRequest): unknown =>
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
  const stamp = { step: stepOf(command, seen.step), revision: seen.revision, at: now.toISOString() }
  return { ...author, [COMMAND]: formatCommand({ ...command, stamp }) }
}

/** The step of which a new command is: the one that it names, or the stored one. */
const stepOf = ({ namedStep }: Command, stored: number): number => namedStep ?? stored

/**
 * What the author of the command saw, after the request: in whole, beside a stamp that was made at the same `now`. It
 * has the revision that a new command names, and the hash `values` of what the source has in the fields that `promote`
 * changes. It stays and goes with its command.
 */
export function sawAfter(request: AdmissionRequest, now: Date, values?: string): string | undefined {
  const text = newCommand(request)
  const isRemoved = Object.entries(stamped(request, now)).some(([key, value]) => key === COMMAND && value === undefined)
  if (text === undefined || isRemoved) return isRemoved ? undefined : keptSaw(request)
  const [command, seen] = [parseCommand(text), seenIn(request)]
  if (!command || command.stamp || !seen) return undefined
  const { named, namedStep } = command
  const revision = named ?? seen.whole
  return formatSaw({
    at: now.toISOString(),
    step: stepOf(command, seen.step),
    ...(revision === undefined ? {} : { revision }),
    ...(named === undefined ? {} : { named: 'revision' }),
    ...(namedStep === undefined ? {} : { named: 'step' }),
    ...(values === undefined ? {} : { values }),
  })
}

/** What is stored of the run when a command to it comes; undefined before the controller has begun it. */
export function seenIn(request: AdmissionRequest) {
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
  return command !== undefined && !isAnswered(command, answeredIn(request))
}

const answeredIn = (request: AdmissionRequest) =>
  at(storedIn(request), 'status', 'strategy', 'command') as CommandStatus | undefined

/** The stored command, if it has a stamp and waits for its answer. */
export function waitingCommand(request: AdmissionRequest): Command | undefined {
  const stored = storedIn(request)
  const command = commandOf({ [COMMAND]: commandIn(stored) ?? '', [COMMAND_SAW]: textIn(stored, COMMAND_SAW) ?? '' })
  return command?.stamp && !isAnswered(command, answeredIn(request)) ? command : undefined
}

/** The name of the author of the command in an object; undefined if it has none. */
export const authorIn = (object: unknown): string | undefined =>
  textOr(at(object, 'metadata', 'annotations', COMMAND_BY), '') || undefined

/** Whether the request removes the stored command. */
export const removesCommand = (request: AdmissionRequest): boolean =>
  commandIn(request.object) === undefined && commandIn(storedIn(request)) !== undefined

/** The author after a request without a new command: the stored one, unless the request removes the command. */
export const keptAuthor = (request: AdmissionRequest): string | undefined =>
  removesCommand(request) ? undefined : authorIn(storedIn(request))

/** What the author of the stored command saw, unless the request removes that command. */
export const keptSaw = (request: AdmissionRequest): string | undefined =>
  removesCommand(request) ? undefined : textIn(storedIn(request), COMMAND_SAW)
