import { COMMAND } from '../api/names.ts'
import { commandContext } from '../situation/command-context.ts'
import type { SpecSituation } from '../situation/situation.ts'
import { resultOfCommand } from '../strategy/command.ts'
import { COMMAND_VERBS, type Command, type CommandVerb, STOPPING } from '../strategy/command-text.ts'
import { annotateCommand } from '../text/kubectl.ts'
import type { ViewAction } from './experiment-view.ts'
import { text } from './text.ts'

/**
 * Every command, and whether the run would obey it now. What the view does not read is the webhook's to say: rights,
 * policies, and the objects as they are when the command arrives.
 */
export const viewActions = (situation: SpecSituation): readonly ViewAction[] =>
  COMMAND_VERBS.map((verb) => {
    const why = whyNot(situation, verb)
    return {
      verb,
      isOffered: why === undefined,
      ...(why === undefined ? {} : { why: text(why) }),
      command: text(annotateCommand(situation.facts.experiment.metadata, COMMAND, verb)),
    }
  })

/** The command as the webhook stamps one that is given now: with the step and the revision that the status shows. */
function stamped({ facts: { experiment, now } }: SpecSituation, verb: CommandVerb): Command | undefined {
  const { stepIndex: step, revision } = experiment.status?.strategy ?? {}
  if (step !== undefined && revision !== undefined) return { verb, stamp: { step, revision, at: now.toISOString() } }
  return STOPPING.includes(verb) ? { verb } : undefined
}

function whyNot(situation: SpecSituation, verb: CommandVerb): string | undefined {
  const { run: state, facts } = situation
  if (!state) return `${verb}: the experiment has no strategy`
  const command = stamped(situation, verb)
  if (!command) return `${verb}: the run has not begun; repeat it later`
  const { run, steps } = state
  const answer = resultOfCommand(command, run, steps, { now: facts.now, ...commandContext(situation, state) })
  return answer.is === 'Done' ? undefined : answer.message
}
