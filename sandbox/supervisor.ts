/**
 * Owns every long-running process of a sandbox, and its state directory. It runs in its own session, so that Ctrl-C in
 * the terminal reaches neither it nor these processes. It stops them and removes the directory when its parent asks or
 * ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, ProcessSpec, Report } from './messages.ts'

/** Time to end after SIGTERM, in milliseconds. An API server without its etcd does not end without SIGKILL. */
const GRACE_MS = 5_000

interface Running {
  readonly id: number
  readonly name: string
  readonly pid: number
  readonly child: ChildProcess
  isAsked: boolean
}

const stateDirectory = mkdtempSync(join(tmpdir(), 'experiment-sandbox-'))
const logs = join(stateDirectory, 'logs')
mkdirSync(logs)
const running = new Map<number, Running>() // in the order of their start
let isEnding = false

const send = (report: Report): void => {
  // fails if the parent has just ended; `disconnect` follows
  if (process.connected) process.send?.(report, () => undefined)
}

/** Signals the process group, because a command may have children, for example the Go compiler's. */
const signalGroup = ({ pid }: Running, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {
    // it has just ended, and its `exit` event follows
  }
}

/** Lists the processes in a file, so that a person who finds this directory knows what belongs to it. */
const notePids = (): void => {
  const processes = [...running.values()].map(({ name, pid }) => ({ name, pid }))
  writeFileSync(join(stateDirectory, 'processes.json'), JSON.stringify({ supervisor: process.pid, processes }))
}

const lastLinesOf = (logFile: string): string => {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
  } catch (error) {
    return `(its log could not be read: ${error})`
  }
}

function start(id: number, spec: ProcessSpec): void {
  const logFile = spec.logFile ?? join(logs, `${spec.name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(spec.command, spec.args, {
    detached: true,
    cwd: spec.cwd ?? stateDirectory,
    env: spec.env,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.once('error', (error) => send({ is: 'refused', id, message: error.message }))
  if (child.pid === undefined) return
  const entry: Running = { id, name: spec.name, pid: child.pid, child, isAsked: false }
  running.set(id, entry)
  notePids()
  send({ is: 'started', id, pid: child.pid })
  child.once('exit', (code, signal) => {
    running.delete(id)
    if (!isEnding) notePids()
    send({ is: 'exited', id, exit: { code, signal, isAsked: entry.isAsked, lastLines: lastLinesOf(logFile) } })
  })
}

async function stop(entry: Running, signal: NodeJS.Signals, graceMs = GRACE_MS): Promise<void> {
  const exited = once(entry.child, 'exit')
  entry.isAsked = true
  signalGroup(entry, signal)
  const impatience = setTimeout(() => signalGroup(entry, 'SIGKILL'), graceMs)
  await exited
  clearTimeout(impatience)
}

/** Stops the last started process first, so that etcd ends after everything that writes to it. */
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  for (const entry of [...running.values()].reverse()) if (running.has(entry.id)) await stop(entry, 'SIGTERM')
  rmSync(stateDirectory, { recursive: true, force: true, maxRetries: 10 })
  process.exit(0)
}

/**
 * Kills everything. Used when the parent is gone, so that a clean end does not matter. Also hurries an end in progress.
 */
function endNow(): void {
  for (const entry of running.values()) {
    entry.isAsked = true
    signalGroup(entry, 'SIGKILL')
  }
  void end()
}

process.on('message', (order: Order) => {
  if (order.do === 'end') return void end()
  if (order.do === 'start') {
    if (isEnding) return send({ is: 'refused', id: order.id, message: 'the sandbox is being stopped' })
    try {
      return start(order.id, order.spec)
    } catch (error) {
      return send({ is: 'refused', id: order.id, message: String(error) })
    }
  }
  const entry = running.get(order.id)
  if (entry) void stop(entry, order.signal, order.graceMs)
})
process.on('disconnect', endNow)
process.on('SIGTERM', () => void end())
process.on('SIGHUP', () => void end())
process.on('uncaughtException', endNow)
send({ is: 'ready', stateDirectory })
