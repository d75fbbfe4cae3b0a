/** A controller that starts where another has left nothing to do, for the benchmark and for the test of F33. */
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { watchCrowd } from './crowd-watch.ts'
import { experiments, type Side } from './forks.ts'
import { type Usage, usageOf } from './process-usage.ts'
import { createCrowd, type Stand } from './stand.ts'

const CROWD_DEADLINE_MS = 300_000
const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])
/** a process that uses less in a second has nothing to do but its probes and the Lease */
const IDLE_MS = 50
const IDLE_SECONDS = 5

/** Experiments whose forks have no pods: the pods of thousands would take most of the time. */
export const withoutPods: Side = {
  ...experiments,
  object: (...of) => {
    const object = experiments.object(...of) as { readonly spec: object }
    return { ...object, spec: { ...object.spec, replicas: 0 } }
  },
}

/** Experiments on one source in a namespace of their own. */
export interface CrowdOf {
  readonly side: Side
  readonly count: number
}

export interface RestartOf {
  /** created one after the other */
  readonly crowds: readonly CrowdOf[]
  /** no further crowd is begun after this time, so that a slow machine restarts with fewer forks, and says so */
  readonly fillingMs: number
  /** how long nothing may change before the restart, and how long it is watched when it is idle */
  readonly quietMs: number
}

/** What a restart was. */
export interface Restarted {
  /** experiments with forks, all ready */
  readonly count: number
  /** what the controller has written since its start, its Lease excepted */
  readonly writes: readonly string[]
  /** its lists since its start */
  readonly lists: readonly AuditEvent[]
  readonly idleAfterSeconds: number
  /** of the controller that created them: with none, after the first crowd, and after all */
  readonly none: Usage
  readonly first: Usage
  readonly filled: Usage
  /** of the new one when it was idle, and at the end */
  readonly idle: Usage
  readonly end: Usage
}

type Tell = (line: string) => void

/** Fills a new control plane, and restarts its controller when there is nothing left to do. */
export async function restartFilled(
  stand: Stand & { readonly product: Installation },
  tell: Tell,
  { crowds, fillingMs, quietMs }: RestartOf,
): Promise<Restarted> {
  const { plane, client, product } = stand
  const creating = product.controller().pid
  const none = await usageOf(creating)
  const all = await watchCrowd({ client, path: experiments.path(), isReady: experiments.isReady })
  const { count, first = none } = await fill(stand, tell, { crowds, fillingMs })
  await all.quiet(quietMs, CROWD_DEADLINE_MS)
  const filled = await usageOf(creating)
  tell(`the controller that created them: ${filled.residentMiB.toFixed(0)} MiB, ${filled.peakMiB.toFixed(0)} at most`)
  await product.controller().stop()
  await pause(1_000) // its last writes must not count
  const since = new Date()
  const { pid } = await product.startController()
  const idleAfterSeconds = await untilIdle(pid)
  const idle = await usageOf(pid)
  await pause(quietMs)
  const requests = await requestsSince(plane, since)
  all.stop()
  const end = await usageOf(pid)
  tell(`after the restart: idle after ${idleAfterSeconds.toFixed(1)} s, ${end.cpuMs} ms of CPU`)
  tell(`after the restart: ${end.residentMiB.toFixed(0)} MiB now, ${end.peakMiB.toFixed(0)} at most`)
  const writes = requests.filter(({ verb }) => WRITES.has(verb)).map(described)
  for (const write of writes.slice(0, 5)) tell(`after the restart: ${write}`)
  const lists = requests.filter(({ verb }) => verb === 'list')
  return { count, writes, lists, idleAfterSeconds, none, first, filled, idle, end }
}

/** Creates the forks by the running product. Resolves to how many there are, and the usage after the first crowd. */
async function fill(
  stand: Stand & { readonly product: Installation },
  tell: Tell,
  { crowds, fillingMs }: Omit<RestartOf, 'quietMs'>,
) {
  const startedMs = performance.now()
  const { pid } = stand.product.controller()
  let [filled, first]: [number, Usage | undefined] = [0, undefined]
  for (const [index, { side, count }] of crowds.entries()) {
    if (performance.now() - startedMs >= fillingMs) break
    const { watch, seconds } = await createCrowd(stand, {
      side,
      namespace: `restart-${index}`,
      count,
      deadlineMs: CROWD_DEADLINE_MS,
    })
    watch.stop()
    filled += count
    first ??= await usageOf(pid)
    tell(`${filled} forks are ready, the last ${count} after ${seconds.toFixed(0)} s`)
  }
  return { count: filled, first }
}

const described = ({ verb, objectRef }: AuditEvent): string =>
  `${verb} ${objectRef?.resource} ${objectRef?.namespace}/${objectRef?.name}`

/** What the controller has asked of the API server since `since`, but for its Lease. */
async function requestsSince({ auditLog }: ControlPlane, since: Date): Promise<readonly AuditEvent[]> {
  const found: AuditEvent[] = []
  for await (const event of auditEvents(auditLog, CONTROLLER)) {
    if (event.user.username !== CONTROLLER || event.objectRef?.resource === 'leases') continue
    if (Date.parse(event.requestReceivedTimestamp) >= since.getTime()) found.push(event)
  }
  return found
}

/** Resolves when the process has done nothing for some seconds, to the seconds until then. */
async function untilIdle(pid: number): Promise<number> {
  const startedMs = performance.now()
  let [cpuMs, idle] = [(await usageOf(pid)).cpuMs, 0]
  await eventually(
    'the controller to be idle',
    CROWD_DEADLINE_MS,
    async () => {
      const usage = await usageOf(pid)
      idle = usage.cpuMs - cpuMs < IDLE_MS ? idle + 1 : 0
      cpuMs = usage.cpuMs
      if (idle < IDLE_SECONDS) throw new Error(`idle for ${idle} s`)
    },
    { pauseMs: 1_000 },
  )
  return (performance.now() - startedMs) / 1_000 - IDLE_SECONDS
}
