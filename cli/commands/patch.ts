import { COMMAND } from '../../common/api/names.ts'
import { type CommandVerb, STOPPING } from '../../common/strategy/command-text.ts'
import type { ExperimentView } from '../../common/view/experiment-view.ts'

/** Commands that change a source, so a person confirms them. */
export const CONFIRMED: readonly CommandVerb[] = ['promote', 'undo']

/** An operation of a JSON patch (RFC 6902). The API server applies all operations of a patch, or none. */
export type PatchOperation = { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }

interface Of {
  readonly view: Pick<ExperimentView, 'metadata' | 'run'>
  /** whether the experiment has any annotation at all */
  readonly hasAnnotations: boolean
}

/**
 * Gives the command `verb` to the run in `view`, unless it is another run, or another step, by then. What only stops
 * tests nothing but the uid: it applies to any step. The webhook stamps a command with the step at which it arrives, so
 * without the tests it could count for a step that nobody has seen.
 */
export function patchOf(verb: CommandVerb, { view, hasAnnotations }: Of): readonly PatchOperation[] {
  const { metadata, run } = view
  return [
    test('/metadata/uid', metadata.uid),
    ...(STOPPING.includes(verb) ? [] : [test('/metadata/generation', metadata.generation), ...testsOf(run)]),
    ...(hasAnnotations ? [] : [add('/metadata/annotations', {})]),
    add(`/metadata/annotations/${escaped(COMMAND)}`, run ? worded(verb, run) : verb),
  ]
}

/**
 * The command with what its author saw. A bare `resume` is refused for three seconds after each step, because nobody
 * can tell which of both steps is meant.
 */
function worded(verb: CommandVerb, run: NonNullable<ExperimentView['run']>): string {
  if (verb === 'promote') return `promote ${revisionOf(run)}`
  return verb === 'resume' ? `resume step=${run.stepIndex + 1}` : verb
}

const test = (path: string, value: unknown): PatchOperation => ({ op: 'test', path, value })
const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })

const testsOf = (run: ExperimentView['run']): readonly PatchOperation[] =>
  run === undefined
    ? []
    : [
        test('/status/strategy/stepIndex', run.stepIndex),
        test('/status/strategy/revision', run.revision),
        ...(run.wholeRevision === undefined ? [] : [test('/status/strategy/wholeRevision', run.wholeRevision)]),
      ]

/** The whole revision where it is known: an author can compute two forks with the same short one. */
const revisionOf = ({ revision, wholeRevision = revision }: NonNullable<ExperimentView['run']>): string => wholeRevision

/** A key as a token of a JSON pointer. */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** As many digits of a revision as people see. */
const SHOWN_DIGITS = 10

/** Whether `named` is the revision of `run`: all of its digits, or the first ten or more. */
export const isRevision = (named: string, { revision, wholeRevision = revision }: NonNullable<ExperimentView['run']>) =>
  named === revision || (named.length >= SHOWN_DIGITS && wholeRevision.startsWith(named))
