import { COMMAND_BY } from '../api/names.ts'
import type { CommandStatus } from '../api/strategy.ts'
import { commandContext } from '../situation/command-context.ts'
import type { RunState, Situation } from '../situation/situation.ts'
import { isAnswered, resultOfCommand } from '../strategy/command.ts'
import { commandIn } from '../strategy/command-text.ts'
import type { RunMove } from '../strategy/next.ts'

/**
 * What the command in the annotation does to the run. A refused command is recorded in it too, so that each command is
 * answered once. Undefined without a command, and for one that was answered before.
 */
export function applyCommand(situation: Situation, state: RunState): RunMove | undefined {
  const { experiment, now } = situation.facts
  const { annotations } = experiment.metadata
  const [command, by] = [commandIn(annotations), annotations?.[COMMAND_BY]]
  const { run, steps } = state
  if (!command || isAnswered(command, run.command)) return undefined
  const answer = resultOfCommand(command, run, steps, { now, ...commandContext(situation, state) })
  const at = command.stamp?.at
  const status: CommandStatus = {
    verb: command.verb,
    ...(at === undefined ? {} : { at, ...(by === undefined ? {} : { by }) }),
    answer: answer.is,
    message: answer.message,
  }
  const author = status.by === undefined ? '' : `${status.by}: `
  const message = `${author}${answer.message}`
  return answer.is === 'Done'
    ? { run: { ...answer.run, command: status }, reason: answer.reason, message, by: command.verb }
    : { run: { ...run, command: status }, reason: 'CommandRefused', message }
}
