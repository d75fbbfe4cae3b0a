import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Exit, Order, ProcessSpec, Report } from './messages.ts'

/** A process that the supervisor runs. */
export interface SupervisedProcess {
  readonly name: string
  readonly pid: number
  /** Resolves when it has ended, for any reason. Never rejects. */
  readonly exited: Promise<Exit>
  /** Sends a signal, by default SIGTERM, and waits. SIGKILL follows after `graceMs`, by default five seconds. */
  readonly stop: (signal?: NodeJS.Signals, graceMs?: number) => Promise<Exit>
  /** As `stop`. @throws Error if it ended by itself, or with another code than 0; `unexpectedExits` then omits that */
  readonly end: (signal?: NodeJS.Signals, graceMs?: number) => Promise<void>
  /** As `exited`. The caller checks how it ends, so that `unexpectedExits` omits it. */
  readonly expectExit: () => Promise<Exit>
}

/**
 * Stops every process that it started, the last one first, and removes `stateDirectory`: on `stop`, or if this process
 * ends.
 */
export interface Supervisor {
  readonly pid: number
  readonly stateDirectory: string
  /** Starts a process. @throws Error if the command cannot be started */
  readonly start: (spec: ProcessSpec) => Promise<SupervisedProcess>
  /** How programs of Node ended by themselves, or with another code than 0, although nobody expected it. */
  readonly unexpectedExits: () => readonly string[]
  /** Resolves when everything is gone. May be called more than once. */
  readonly stop: () => Promise<void>
}

interface Pending {
  readonly spec: ProcessSpec
  readonly started: PromiseWithResolvers<number>
  readonly exited: PromiseWithResolvers<Exit>
  pid?: number
}

const SUPERVISOR = fileURLToPath(new URL('supervisor.ts', import.meta.url))
const LOST: Exit = { code: null, signal: 'SIGKILL', isAsked: false, lastLines: '(the supervisor was killed)' }

/** "kube-apiserver ended by itself (code 1); its last lines: …" */
export const describeExit = (name: string, { code, signal, isAsked, lastLines }: Exit): string =>
  `${name} ended ${isAsked ? 'when asked' : 'by itself'} (${signal ?? `code ${code}`}); its last lines:\n${lastLines}`

/** The ends of processes that nobody expected. */
class UnexpectedExits {
  readonly #descriptions = new Map<number, string>()
  readonly #expected = new Set<number>()

  /** The programs of others have codes of their own, and may end when what they need is gone. */
  note(id: number, { name, command }: ProcessSpec, exit: Exit): void {
    const isFailure = !exit.isAsked || (exit.code ?? 0) !== 0
    if (isFailure && command === process.execPath && !this.#expected.has(id))
      this.#descriptions.set(id, describeExit(name, exit))
  }

  /** What waits for the end of a process, and either checks it or leaves that to the caller. */
  waitsFor(id: number, { exited, stop }: Pick<SupervisedProcess, 'exited' | 'stop'>) {
    const end: SupervisedProcess['end'] = async (...how) => {
      await stop(...how)
      const description = this.#descriptions.get(id)
      this.#descriptions.delete(id)
      if (description !== undefined) throw new Error(description)
    }
    const expectExit = (): Promise<Exit> => {
      this.#expected.add(id)
      this.#descriptions.delete(id)
      return exited
    }
    return { end, expectExit }
  }

  all(): readonly string[] {
    return [...this.#descriptions.values()]
  }
}

/** Starts the supervisor as a process of its own. @throws Error if it ends before it is ready */
export async function startSupervisor(): Promise<Supervisor> {
  const child = fork(SUPERVISOR, { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const gone = once(child, 'exit')
  const processes = new Map<number, Pending>()
  const ends = new UnexpectedExits()
  const ready = Promise.withResolvers<string>()
  let ids = 0
  let isStopping = false

  const take = (report: Report): void => {
    if (report.is === 'ready') {
      ready.resolve(report.stateDirectory)
      return
    }
    const pending = processes.get(report.id)
    if (!pending) return
    switch (report.is) {
      case 'refused':
        pending.started.reject(new Error(report.message))
        break
      case 'started':
        pending.pid = report.pid
        pending.started.resolve(report.pid)
        break
      case 'exited':
        processes.delete(report.id)
        ends.note(report.id, pending.spec, report.exit)
        pending.exited.resolve(report.exit)
    }
  }
  child.on('message', take)

  const send = (order: Order): void => {
    if (child.connected) child.send(order, () => undefined) // if this fails, `exit` reports why
  }

  /** Kills the processes of a supervisor that was killed itself. */
  const inherit = async (): Promise<void> => {
    for (const { pid, started, exited } of processes.values()) {
      started.reject(new Error('the supervisor has ended'))
      exited.resolve(isStopping ? { ...LOST, isAsked: true } : LOST)
      if (!isStopping && pid !== undefined) killGroup(pid)
    }
    processes.clear()
    ready.reject(new Error('the supervisor ended before it was ready: is the temporary directory writable?'))
    if (!isStopping) await rm(await ready.promise, { recursive: true, force: true, maxRetries: 10 })
  }
  gone.then(inherit).catch(() => undefined) // reported to those who await `ready`

  const stateDirectory = await ready.promise

  async function start(spec: ProcessSpec): Promise<SupervisedProcess> {
    if (!child.connected) throw new Error(`${spec.name} cannot be started: the supervisor has ended`)
    const id = ids++
    const pending: Pending = { spec, started: Promise.withResolvers(), exited: Promise.withResolvers() }
    processes.set(id, pending)
    send({ do: 'start', id, spec })
    const pid = await pending.started.promise.catch((error: unknown) => {
      processes.delete(id)
      throw new Error(`${spec.name} could not be started: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
    const stop = (signal: NodeJS.Signals = 'SIGTERM', graceMs = 5_000) => {
      send({ do: 'stop', id, signal, graceMs })
      return pending.exited.promise
    }
    const ending = { exited: pending.exited.promise, stop }
    return { name: spec.name, pid, ...ending, ...ends.waitsFor(id, ending) }
  }

  async function stop(): Promise<void> {
    isStopping = true
    send({ do: 'end' })
    await gone
  }

  return { pid: child.pid ?? 0, stateDirectory, start, unexpectedExits: () => ends.all(), stop }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has already ended
  }
}
