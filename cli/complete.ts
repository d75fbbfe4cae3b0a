import type { Command } from 'commander'
import { startDeadline, unlessAborted } from '../common/program/deadline.ts'
import type { ConnectionFlags } from './cluster/connection.ts'
import { GOALS } from './flags/goal.ts'
import { programOf } from './program.ts'
import type { Call } from './run.ts'

/** A shell waits no longer. */
const LIMIT_MS = 1_000
/** Of cobra: complete no names of files. */
const NO_FILES = ':4\n'

/**
 * Answers a shell that asks for the words that may stand in place of the last of `words`: a line `WORD<TAB>description`
 * for each, as cobra does. What cannot be found out within a second is left out. Never throws, and prints no error.
 */
export async function complete(words: readonly string[], { io, connect }: Call): Promise<void> {
  const deadline = startDeadline(io.timers, LIMIT_MS, io.signal)
  const quiet = { ...io, err: () => undefined, signal: deadline.signal }
  try {
    const found = await unlessAborted(candidates(words, { io: quiet, connect }), deadline.signal)
    io.out(
      found.map(([word, description]) => `${word}${description === '' ? '' : `\t${description}`}\n`).join('') +
        NO_FILES,
    )
  } catch {
    io.out(NO_FILES) // a shell would print an error in the middle of what a person types
  } finally {
    deadline.end()
  }
}

type Candidate = readonly [word: string, description: string]

async function candidates(words: readonly string[], call: Call): Promise<readonly Candidate[]> {
  const program = programOf({ ...call, ended: () => undefined })
  const started = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = program.commands.find((each) => each.name() === before[0])
  const found = command ? await ofCommand(command, { before, started, call }) : commandsOf(program)
  return found.filter(([word]) => word.startsWith(started))
}

const commandsOf = (program: Command): readonly Candidate[] =>
  program.commands.map((each) => [each.name(), each.description()])

interface Asked {
  readonly before: readonly string[]
  readonly started: string
  readonly call: Call
}

async function ofCommand(command: Command, { before, started, call }: Asked): Promise<readonly Candidate[]> {
  const previous = before.at(-1) ?? ''
  const flag = command.options.find(({ short, long }) => previous !== '' && (previous === short || previous === long))
  if (flag && !flag.isBoolean() && !flag.optional) return valuesOf(flag.long ?? '', flag.argChoices)
  if (started.startsWith('-'))
    return command.options.flatMap((each) =>
      each.long && !each.hidden ? [[each.long, each.description] as const] : [],
    )
  const { operands } = command.parseOptions(before.slice(1))
  const [argument] = command.registeredArguments
  return argument?.name() === 'NAME' && operands.length === 0 ? names(command.opts<ConnectionFlags>(), call) : []
}

const valuesOf = (flag: string, choices: readonly string[] = flag === '--for' ? GOALS : []): readonly Candidate[] =>
  choices.map((choice) => [choice, ''])

/** The experiments of the namespace that the flags mean, with their states. */
async function names(flags: ConnectionFlags, { io, connect }: Call): Promise<readonly Candidate[]> {
  const connection = await connect(flags)
  try {
    const [{ listExperiments }, { rowIn }] = await Promise.all([
      import('./cluster/follow.ts'),
      import('./cluster/experiment.ts'),
    ])
    const experiments = await listExperiments(connection.client, { namespace: connection.namespace }, io.signal)
    return [...experiments.values()].map(rowIn).map(({ name, state, source }) => [name, `${state}, ${source}`] as const)
  } finally {
    await connection.client.close()
  }
}
