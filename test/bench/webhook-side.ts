import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { env, execPath } from 'node:process'
import { run } from '../../sandbox/run.ts'

/** A measured server: a separate process that answers questions. */
export interface Side {
  readonly port: number
  /** @throws Error if it has ended, or does not answer in time */
  readonly ask: (question: 'memory' | 'cpu' | 'watch' | 'block' | 'parses') => Promise<number>
  /** Resolves when it has ended. */
  readonly stop: () => Promise<void>
}

interface Program {
  /** flags, a script and its arguments */
  readonly args: readonly string[]
  /** the Node of this process if absent */
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
}

const DEADLINE_MS = 30_000

/** The core for a command: all servers share one, and their clients use the other. */
export type Core = 'server' | 'load'
const CORES: Readonly<Record<Core, string>> = { server: '1', load: '0' }

/** The prefix that pins a command to a core; empty without `taskset` or a second core. */
export type Pin = (core: Core, command: readonly string[]) => readonly string[]

/** Finds out whether processes can be pinned here. */
export async function pinning(): Promise<{ readonly isPinned: boolean; readonly pin: Pin }> {
  const tried = await run('taskset', ['-c', '0,1', 'taskset', '-c', '1', 'true']).catch(() => undefined)
  return tried?.code === 0
    ? { isPinned: true, pin: (core, command) => ['taskset', '-c', CORES[core], ...command] }
    : { isPinned: false, pin: (_core, command) => command }
}

/** Starts a program that reports `{ port }` and answers each question by `{ answer }`. Its output is discarded. */
export async function startSide(pin: Pin, { args, node = execPath, env: more = {} }: Program): Promise<Side> {
  const [command = '', ...rest] = pin('server', [node, ...args])
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
  const child = spawn(command, rest, { stdio: [...stdio], env: { ...env, ...more } })
  const gone = once(child, 'exit')
  const words: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => words.push(text))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await gone
  }
  const said = async (member: 'port' | 'answer'): Promise<number> => {
    const ended = gone.then(() => {
      throw new Error(`${args.join(' ')} ended by itself: ${words.join('').trimEnd()}`)
    })
    const [message] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) }), ended])
    return Number((message as Readonly<Record<string, unknown>>)[member])
  }
  try {
    return { port: await said('port'), ask: asking(child, () => said('answer')), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const asking =
  (child: ChildProcess, answer: () => Promise<number>): Side['ask'] =>
  (question) => {
    const answered = answer()
    child.send(question, () => undefined) // if this fails, the process has ended, which is reported
    return answered
  }
