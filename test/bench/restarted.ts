/** A controller that starts where another has left nothing to do, for the benchmark and for the test of F33. */
import { setTimeout as pause } from 'node:timers/promises'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { listAll } from '../../common/kube/watch/view.ts'
import { deployment } from '../../common/workload/deployment.ts'
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
  /** how long nothing may change after each crowd before the memory is read */
  readonly settledMs: number
  /** how long nothing may change before the restart, and how long it is watched when it is idle */
  readonly quietMs: number
}

/** The controller when a crowd was created and all was quiet. */
export interface Filled {
  /** how many forks there are then */
  readonly count: number
  readonly usage: Usage
}

/** What a restart was. */
export interface Restarted {
  /** experiments with forks, all ready */
  readonly count: number
  /** what the controller has written since its start, its Lease excepted */
  readonly writes: readonly string[]
  /** its lists since its start */
  readonly lists: readonly AuditEvent[]
  /** from the start of its process until it had looked at each experiment and had nothing left to do */
  readonly drainedAfterSeconds: number
  /** of the bare lists of the same experiments and forks, by pages, on the same machine */
  readonly listSeconds: number
  /** of the controller that created them: with none, after each crowd, and after all */
  readonly none: Usage
  readonly crowds: readonly Filled[]
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
  { quietMs, ...filling }: RestartOf,
): Promise<Restarted> {
  const { plane, client, product } = stand
  const creating = product.controller().pid
  const none = await usageOf(creating)
  const all = await watchCrowd({ client, path: experiments.path(), isReady: experiments.isReady })
  const filledBy = await fill(stand, tell, filling)
  const count = filledBy.at(-1)?.count ?? 0
  await all.quiet(quietMs, CROWD_DEADLINE_MS)
  const filled = await usageOf(creating)
  tell(`the controller that created them: ${filled.residentMiB.toFixed(0)} MiB, ${filled.peakMiB.toFixed(0)} at most`)
  await product.controller().stop()
  await pause(1_000) // its last writes must not count
  const listSeconds = await bareLists(client)
  const [since, startedMs] = [new Date(), performance.now()]
  const { pid } = await product.startController()
  await untilDrained(product, count)
  const drainedAfterSeconds = (performance.now() - startedMs) / 1_000
  tell(`after the restart: drained after ${drainedAfterSeconds.toFixed(1)} s; bare lists: ${listSeconds.toFixed(1)} s`)
  const idleAfterSeconds = await untilIdle(pid)
  const idle = await usageOf(pid)
  await pause(quietMs)
  const requests = await requestsSince(plane, since)
  all.stop()
  const end = await usageOf(pid)
  tell(`after the restart: idle ${idleAfterSeconds.toFixed(1)} s later, ${end.cpuMs} ms of CPU`)
  tell(`after the restart: ${end.residentMiB.toFixed(0)} MiB now, ${end.peakMiB.toFixed(0)} at most`)
  const writes = requests.filter(({ verb }) => WRITES.has(verb)).map(described)
  for (const write of writes.slice(0, 5)) tell(`after the restart: ${write}`)
  const lists = requests.filter(({ verb }) => verb === 'list')
  return { count, writes, lists, drainedAfterSeconds, listSeconds, none, crowds: filledBy, filled, idle, end }
}

/** Creates the forks by the running product. Resolves to the controller after each crowd. */
async function fill(
  stand: Stand & { readonly product: Installation },
  tell: Tell,
  { crowds, fillingMs, settledMs }: Omit<RestartOf, 'quietMs'>,
): Promise<readonly Filled[]> {
  const startedMs = performance.now()
  const { pid } = stand.product.controller()
  const filled: Filled[] = []
  for (const [index, { side, count }] of crowds.entries()) {
    if (performance.now() - startedMs >= fillingMs) break
    const { watch, seconds } = await createCrowd(stand, {
      side,
      namespace: `restart-${index}`,
      count,
      deadlineMs: CROWD_DEADLINE_MS,
    })
    await watch.quiet(settledMs, CROWD_DEADLINE_MS)
    watch.stop()
    const now = { count: (filled.at(-1)?.count ?? 0) + count, usage: await usageOf(pid) }
    filled.push(now)
    const memory = `${now.usage.residentMiB.toFixed(0)} MiB`
    tell(`${now.count} forks are ready, the last ${count} after ${seconds.toFixed(0)} s; ${memory}`)
  }
  return filled
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

/** Lists all experiments and forks by pages, as the controller does at its start. Resolves to the seconds. */
async function bareLists(client: KubeClient): Promise<number> {
  const { signal } = new AbortController()
  const project = (object: KubeObject) => object
  const startedMs = performance.now()
  await Promise.all([
    listAll(client, { resource: EXPERIMENT_DEPLOYMENT, managedFields: 'managers', project }, signal),
    listAll(client, { resource: deployment, labelSelector: EXPERIMENT_ID, managedFields: 'others', project }, signal),
  ])
  return (performance.now() - startedMs) / 1_000
}

/** Resolves when the controller has had a pass over `count` experiments, and none waits for one. */
function untilDrained({ healthPorts }: Installation, count: number): Promise<void> {
  const look = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${healthPorts.controller}/metrics`)).text()
    const sum = (name: string) =>
      [...metrics.matchAll(new RegExp(`^experiment_controller_${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]
        .map(([, value]) => Number(value))
        .reduce((all, value) => all + value, 0)
    const [passes, left] = [sum('reconcile_total'), sum('queue_depth') + sum('workers_busy')]
    if (passes < count || left > 0) throw new Error(`${passes} passes of ${count}, and ${left} keys are left`)
  }
  return eventually('the controller to have nothing left to do', CROWD_DEADLINE_MS, look, { pauseMs: 200 })
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
