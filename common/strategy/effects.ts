import type { CommandVerb } from './command-text.ts'
import { compileSteps, type RunStep } from './compile.ts'
import type { Run } from './run.ts'
import type { StrategyRunSpec } from './run-spec.ts'

/**
 * What a run does to others: `preview` and `cutOver` limit a Service to the fork, `promote` writes the source, and
 * `restore` gives both back.
 */
export type Effect = 'preview' | 'cutOver' | 'promote' | 'restore'

/** A run as a request finds it, with the spec after the request. */
interface RequestedRun {
  readonly spec: StrategyRunSpec
  /** the stored run of this spec; undefined: there is none, so it begins */
  readonly run: Pick<Run, 'path' | 'stepIndex' | 'held'> | undefined
  /** whether the spec approves the run, so that it does not wait to be promoted */
  readonly isApproved: boolean
}

/** What a request asks of a run. */
interface RunRequest {
  readonly verb?: CommandVerb | undefined
  /** whether it changes the spec */
  readonly isEdit?: boolean
}

/**
 * The effects of a request: what the run does after it without another word of a person. Permissions, the rule that
 * somebody else must approve, and the plan follow from it. A time, pods or a verdict are no word. So it does not matter
 * by which command or field a run is let go on, but only what it reaches.
 */
export const effectsOf = ({ verb, isEdit = false }: RunRequest, of: RequestedRun): ReadonlySet<Effect> =>
  new Set([...(isEdit ? effectsAhead(of) : []), ...(verb ? effectsOfCommand(verb, of) : [])])

/** What the run does without any word from where it is. */
export function effectsAhead(of: RequestedRun): readonly Effect[] {
  const { run } = of
  if (!run) return effectsFrom(0, of)
  return run.held || run.path !== 'Forward' ? [] : effectsFrom(run.stepIndex, of)
}

function effectsOfCommand(verb: CommandVerb, of: RequestedRun): readonly Effect[] {
  const steps = compileSteps(of.spec, 'Forward')
  const { path, stepIndex } = of.run ?? { path: 'Forward', stepIndex: unknownIndex(steps) }
  switch (verb) {
    case 'pause':
    case 'abort':
      return []
    case 'retry':
      return effectsFrom(0, of)
    case 'undo':
      return ['restore']
    case 'promote':
      // it makes up for the steps that it skips, and sets a lost pin again
      return [
        ...steps.slice(stepIndex).flatMap(effectOf),
        ...(of.spec.blueGreen ? ['cutOver' as const] : []),
        'promote',
      ]
    case 'resume': {
      const is = steps[stepIndex]?.is
      const isAtPause = is === 'pause' || is === 'analysis'
      return path === 'Forward' ? effectsFrom(isAtPause ? stepIndex + 1 : stepIndex, of) : []
    }
  }
}

/** Before a run begins, no command is obeyed. One counts as given when the next step cuts over. */
const unknownIndex = (steps: readonly RunStep[]): number =>
  Math.max(0, steps.findIndex(({ is }) => is === 'cutOver') - 1)

/** The effects of the steps from `index` on, up to the next one at which a person is asked. */
function effectsFrom(index: number, { spec, isApproved }: RequestedRun): readonly Effect[] {
  const steps = compileSteps(spec, 'Forward')
  // an index that no step can have is not obeyed: the run begins again
  const ahead = steps.slice(index > steps.length ? 0 : index)
  const end = ahead.findIndex((step) => asksSomebody(step, isApproved))
  const effects = (end < 0 ? ahead : ahead.slice(0, end)).flatMap(effectOf)
  return spec.mode === 'Export' ? effects.filter((effect) => effect !== 'promote') : effects
}

const asksSomebody = (step: RunStep, isApproved: boolean): boolean =>
  (step.is === 'pause' && step.seconds === undefined) || (step.is === 'await' && !isApproved)

const effectOf = ({ is }: RunStep): readonly Effect[] =>
  is === 'preview' || is === 'cutOver' || is === 'promote' ? [is] : []
