import type { KubeObject } from '../api/object.ts'
import type { CommandContext } from '../strategy/command.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { previewObstacle } from './obstacles.ts'
import { isPromoted, mayHaveWritten, promotionIn, runState } from './run.ts'
import { seenNow, withSeenSource } from './seen-now.ts'
import type { RunState, SpecSituation } from './situation.ts'
import { obstacleOfAbort, obstacleOfUndo } from './undo.ts'

/** What a command to `run` depends on beside the run and the time. */
export const commandContext = (
  situation: SpecSituation,
  { run }: Pick<RunState, 'run'>,
): Omit<CommandContext, 'now'> => ({
  promotion: promotionIn(situation.facts.experiment, run),
  mayHaveWritten: mayHaveWritten(situation, run),
  createdAt: situation.facts.experiment.metadata.creationTimestamp,
  over: whyOver(situation),
  sourceNow: () => seenNow(situation.facts),
  noUndo: obstacleOfUndo(situation),
  noAbort: obstacleOfAbort(situation.facts),
  previewObstacle: previewObstacle(situation),
})

/** The run whose wanted fork is `fork`, as the plan finds it. So the answer to a command is that of the plan. */
export function commandedRun(situation: SpecSituation, fork: KubeObject | undefined) {
  const state = runState(situation, fork)
  if (!state) return undefined
  const run = withSeenSource(situation.facts, state.run, state.steps)
  return { run, steps: state.steps, ...commandContext(situation, { run }) }
}

/** Why no command is obeyed any more; undefined if they are. The end of a promotion can still be undone. */
function whyOver(situation: SpecSituation): string | undefined {
  if (isBeingDeleted(situation.facts.experiment)) return 'the experiment is being deleted'
  if (!situation.hasExpired || isPromoted(situation)) return undefined
  return 'the experiment has expired; raise spec.ttlSeconds first'
}
