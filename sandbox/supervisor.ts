/**
 * Owns every long-lived process of a sandbox, and its state directory. It runs in a session of its own, so that a
 * terminal's Ctrl-C reaches neither it nor them, and tidies up when its parent asks or vanishes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order, ProcessSpec, Report } from './messages.ts'

/** An API server that lost its etcd does not end by itself. */
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
const running = new Map<number, Running>() // in order of start
let isEnding = false

const tell = (report: Report): void => {
  if (process.connected) process.send?.(report, () => undefined) // a parent that just died: `disconnect` follows
}

/** The group, because a command may have children: the Go compiler's, for instance. */
const signalGroup = ({ pid }: Running, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {
    // it has ended meanwhile, and its `exit` event is under way
  }
}

/** Somebody who finds this directory can see from it what belongs to it. */
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
  child.once('error', (error) => tell({ is: 'refused', id, message: error.message }))
  if (child.pid === undefined) return
  const entry: Running = { id, name: spec.name, pid: child.pid, child, isAsked: false }
  running.set(id, entry)
  notePids()
  tell({ is: 'started', id, pid: child.pid })
  child.once('exit', (code, signal) => {
    running.delete(id)
    if (!isEnding) notePids()
    tell({ is: 'exited', id, exit: { code, signal, isAsked: entry.isAsked, lastLines: lastLinesOf(logFile) } })
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

/** Last started, first stopped, so that etcd goes after all that write to it. */
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  for (const entry of [...running.values()].reverse()) if (running.has(entry.id)) await stop(entry, 'SIGTERM')
  rmSync(stateDirectory, { recursive: true, force: true, maxRetries: 10 })
  process.exit(0)
}

/** Nobody is left to whom a clean end would matter; also hurries an end that is under way. */
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
    if (isEnding) return tell({ is: 'refused', id: order.id, message: 'the sandbox is being stopped' })
    try {
      return start(order.id, order.spec)
    } catch (error) {
      return tell({ is: 'refused', id: order.id, message: String(error) })
    }
  }
  const entry = running.get(order.id)
  if (entry) void stop(entry, order.signal, order.graceMs)
})
process.on('disconnect', endNow)
process.on('SIGTERM', () => void end())
process.on('SIGHUP', () => void end())
process.on('uncaughtException', endNow)
tell({ is: 'ready', stateDirectory })
