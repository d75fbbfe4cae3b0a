import { COMMAND, COMMAND_SAW } from '../api/names.ts'
import type { Labels } from '../api/object.ts'
import type { Run } from './run.ts'

/** The commands that a person can give to a run. */
export const COMMAND_VERBS = ['pause', 'resume', 'promote', 'abort', 'undo', 'retry'] as const
export type CommandVerb = (typeof COMMAND_VERBS)[number]

/** Commands that only stop something: they need no stamp and apply to any step. */
export const STOPPING: readonly CommandVerb[] = ['pause', 'abort']

/**
 * A command in the annotation. The webhook stamps it with what its author saw: the step and the revision, and the time
 * in RFC 3339 with milliseconds.
 */
export interface Command {
  readonly verb: CommandVerb
  readonly stamp?: { readonly step: number; readonly revision: string; readonly at: string }
  /** the revision that `promote` names, before it is stamped */
  readonly named?: string
  /** the step that `resume` or `promote` names, as in a stamp, before it is stamped */
  readonly namedStep?: number
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
  /** which of both the author wrote into the command; absent: none */
  readonly named?: (typeof NAMED)[number]
  /** the hash of what the source had in the fields that `promote` changes; absent: it could not be read */
  readonly values?: string
}

const NAMED = ['revision', 'step'] as const

/** Reads what `formatSaw` writes; undefined if it is something else. Fields that it does not know are left out. */
export function parseSaw(text: string): Saw | undefined {
  const { at, step, revision, named, values } = Object.fromEntries(text.split(' ').map((field) => field.split('=', 2)))
  if (at === undefined || !/^\d{1,4}$/.test(step ?? '')) return undefined
  const isNamed = NAMED.find((each) => each === named)
  return {
    at,
    step: Number(step),
    ...(revision === undefined ? {} : { revision }),
    ...(isNamed === undefined ? {} : { named: isNamed }),
    ...(values === undefined ? {} : { values }),
  }
}

/** `at=2026-11-21T14:05:03.120Z step=1 revision=… named=revision values=…`. */
export const formatSaw = ({ at, step, revision, named, values }: Saw): string =>
  Object.entries({ at, step, revision, named, values })
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]))
    .join(' ')

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
 * Reads `abort`, `promote REVISION`, `resume step=3` or, with its stamp, `resume step=2 revision=1f2e3d4c5b
 * at=2026-11-21T14:05:03.120Z`; undefined if it is none of these. A person counts steps from 1, as the plan does, and a
 * stamp from 0.
 */
export function parseCommand(text: string): Command | undefined {
  const [, named] = /^promote ([0-9a-f]{1,64})$/.exec(text) ?? []
  if (named !== undefined) return { verb: 'promote', named }
  const [, atStep, place] = /^(resume|promote) step=([1-9]\d{0,3})$/.exec(text) ?? []
  if (place !== undefined) return { verb: atStep === 'resume' ? 'resume' : 'promote', namedStep: Number(place) - 1 }
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
