import type { KubeObject } from '../api/object.ts'
import type { SpecFacts } from '../facts/facts.ts'
import type { CommandContext } from '../strategy/command.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { previewObstacle } from './obstacles.ts'
import { hasExpired, isPromoted, mayHaveWritten, promotionIn, type RunState, runState } from './run.ts'
import { seenNow, withSeenSource } from './seen-now.ts'
import { obstacleOfAbort, obstacleOfUndo } from './undo.ts'

/** What a command to `run` depends on beside the run and the time. */
export const commandContext = (
  facts: SpecFacts,
  { run, spec }: Pick<RunState, 'run' | 'spec'>,
): Omit<CommandContext, 'now'> => ({
  promotion: promotionIn(facts.experiment, run),
  mayHaveWritten: mayHaveWritten(facts, run),
  createdAt: facts.experiment.metadata.creationTimestamp,
  over: whyOver(facts),
  sourceNow: () => seenNow(facts),
  noUndo: obstacleOfUndo(facts),
  noAbort: obstacleOfAbort(facts),
  previewObstacle: previewObstacle(facts, spec),
})

/** The run whose wanted fork is `fork`, as the plan finds it. So the answer to a command is that of the plan. */
export function commandedRun(facts: SpecFacts, fork: KubeObject | undefined) {
  const state = runState(facts, fork)
  if (!state) return undefined
  const run = withSeenSource(facts, state.run, state.steps)
  return { run, steps: state.steps, ...commandContext(facts, { ...state, run }) }
}

/** Why no command is obeyed any more; undefined if they are. The end of a promotion can still be undone. */
function whyOver(facts: SpecFacts): string | undefined {
  if (isBeingDeleted(facts.experiment)) return 'the experiment is being deleted'
  if (!hasExpired(facts) || isPromoted(facts)) return undefined
  return 'the experiment has expired; raise spec.ttlSeconds first'
}
