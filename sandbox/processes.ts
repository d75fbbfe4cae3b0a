import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Exit, Order, ProcessSpec, Report } from './messages.ts'

/** A process under the supervisor. */
export interface SupervisedProcess {
  readonly name: string
  readonly pid: number
  /** Resolves when it has ended, for whatever reason; never rejects. */
  readonly exited: Promise<Exit>
  /** Asks it to end and waits. SIGTERM by default; SIGKILL follows after `graceMs`, by default five seconds. */
  readonly stop: (signal?: NodeJS.Signals, graceMs?: number) => Promise<Exit>
}

/** Stops all it started, last first, and removes `stateDirectory`: when asked, and when this process vanishes. */
export interface Supervisor {
  readonly pid: number
  readonly stateDirectory: string
  /** @throws Error when the command cannot be started. */
  readonly start: (spec: ProcessSpec) => Promise<SupervisedProcess>
  /** Resolves when everything is gone. May be called again. */
  readonly stop: () => Promise<void>
}

interface Pending {
  readonly started: PromiseWithResolvers<number>
  readonly exited: PromiseWithResolvers<Exit>
  pid?: number
}

const SUPERVISOR = fileURLToPath(new URL('supervisor.ts', import.meta.url))
const LOST: Exit = { code: null, signal: 'SIGKILL', isAsked: false, lastLines: '(the supervisor was killed)' }

/** "kube-apiserver ended by itself (code 1); its last lines: …" */
export const describeExit = (name: string, { code, signal, lastLines }: Exit): string =>
  `${name} ended by itself (${signal ?? `code ${code}`}); its last lines:\n${lastLines}`

/** @throws Error when the supervisor ends before it is ready. */
export async function startSupervisor(): Promise<Supervisor> {
  const child = fork(SUPERVISOR, { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const gone = once(child, 'exit')
  const processes = new Map<number, Pending>()
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
        pending.exited.resolve(report.exit)
    }
  }
  child.on('message', take)

  const tell = (order: Order): void => {
    if (child.connected) child.send(order, () => undefined) // when it fails, `exit` tells why
  }

  /** A supervisor that was killed leaves its processes to us. */
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
  gone.then(inherit).catch(() => undefined) // never ready: whoever awaits `ready` is told

  const stateDirectory = await ready.promise

  async function start(spec: ProcessSpec): Promise<SupervisedProcess> {
    if (!child.connected) throw new Error(`${spec.name} cannot be started: the supervisor has ended`)
    const id = ids++
    const pending: Pending = { started: Promise.withResolvers(), exited: Promise.withResolvers() }
    processes.set(id, pending)
    tell({ do: 'start', id, spec })
    const pid = await pending.started.promise.catch((error: unknown) => {
      processes.delete(id)
      throw new Error(`${spec.name} could not be started: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
    const stop = (signal: NodeJS.Signals = 'SIGTERM', graceMs = 5_000) => {
      tell({ do: 'stop', id, signal, graceMs })
      return pending.exited.promise
    }
    return { name: spec.name, pid, exited: pending.exited.promise, stop }
  }

  async function stop(): Promise<void> {
    isStopping = true
    tell({ do: 'end' })
    await gone
  }

  return { pid: child.pid ?? 0, stateDirectory, start, stop }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended already
  }
}
