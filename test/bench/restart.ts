import { setTimeout as pause } from 'node:timers/promises'
import { auditEvents } from '../../sandbox/audit.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, SYSTEM_NAMESPACE } from '../../sandbox/installation.ts'
import { watchCrowd } from './crowd-watch.ts'
import { type Bench, type Figure, limitFigure } from './figure.ts'
import { experiments, type Side } from './forks.ts'
import { usageOf } from './process-usage.ts'
import { createCrowd, type Stand, withProduct } from './stand.ts'

const NAMESPACES = 5
const FORKS_OF_EACH = 1_000
const CROWD_DEADLINE_MS = 300_000
/** no further namespace is filled after this time, so that a slow machine measures fewer forks, and says so */
const FILLING_MS = 360_000
const QUIET_MS = 20_000
const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])
/** a process that uses less in a second has nothing to do but its probes and the Lease */
const IDLE_MS = 50
const IDLE_SECONDS = 5

/** Experiments whose forks have no pods: the pods of thousands would be most of the time of this benchmark. */
const withoutPods: Side = {
  ...experiments,
  object: (...of) => {
    const object = experiments.object(...of) as { readonly spec: object }
    return { ...object, spec: { ...object.spec, replicas: 0 } }
  },
}

type Tell = (line: string) => void

/** Creates the forks by the running product, those of the first source with pods. Resolves to how many there are. */
async function fill(stand: Stand, tell: Tell): Promise<number> {
  const startedMs = performance.now()
  let count = 0
  for (let index = 0; index < NAMESPACES && performance.now() - startedMs < FILLING_MS; index += 1) {
    const side = index === 0 ? experiments : withoutPods
    const { watch, seconds } = await createCrowd(stand, {
      side,
      namespace: `restart-${index}`,
      count: FORKS_OF_EACH,
      deadlineMs: CROWD_DEADLINE_MS,
    })
    watch.stop()
    count += FORKS_OF_EACH
    tell(`${count} forks are ready, the last ${FORKS_OF_EACH} after ${seconds.toFixed(0)} s`)
  }
  return count
}

/** What the controller has written since `since`, its Lease excepted. */
async function writesSince({ auditLog }: ControlPlane, since: Date): Promise<readonly string[]> {
  const writes: string[] = []
  for await (const { user, verb, objectRef, requestReceivedTimestamp } of auditEvents(auditLog, CONTROLLER)) {
    if (user.username !== CONTROLLER || !WRITES.has(verb) || objectRef?.resource === 'leases') continue
    if (Date.parse(requestReceivedTimestamp) < since.getTime()) continue
    writes.push(`${verb} ${objectRef?.resource} ${objectRef?.namespace}/${objectRef?.name}`)
  }
  return writes
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

async function measure(stand: Stand & { readonly product: Installation }, tell: Tell): Promise<readonly Figure[]> {
  const { plane, client, product } = stand
  const none = await usageOf(product.controller().pid)
  const all = await watchCrowd({ client, path: experiments.path(), isReady: experiments.isReady })
  const count = await fill(stand, tell)
  await all.quiet(QUIET_MS, CROWD_DEADLINE_MS)
  const filled = await usageOf(product.controller().pid)
  tell(`the controller that created them: ${filled.residentMiB.toFixed(0)} MiB, ${filled.peakMiB.toFixed(0)} at most`)
  await product.controller().stop()
  await pause(1_000) // its last writes must not count
  const since = new Date()
  const { pid } = await product.startController()
  const idleAfter = await untilIdle(pid)
  await pause(QUIET_MS)
  const writes = await writesSince(plane, since)
  all.stop()
  const { peakMiB, residentMiB, cpuMs } = await usageOf(pid)
  tell(`after the restart: idle after ${idleAfter.toFixed(1)} s, ${cpuMs} ms of CPU, ${residentMiB.toFixed(0)} MiB now`)
  for (const write of writes.slice(0, 5)) tell(`after the restart: ${write}`)
  return [
    limitFigure({ name: `restart, ${count} forks`, value: writes.length, unit: 'writes', against: count, atMost: 0 }),
    limitFigure({
      name: `memory, ${count} forks`,
      value: peakMiB,
      unit: 'MiB',
      against: none.residentMiB,
      atMost: 256,
    }),
  ]
}

/** A controller that starts where another has left nothing to do: what it writes, and its memory beside that with no forks. */
export const restart: Bench = {
  name: 'restart',
  measures: `a restart with ${NAMESPACES * FORKS_OF_EACH} forks, of which ${FORKS_OF_EACH} have pods`,
  run: (tell) => withProduct(tell, (stand) => measure(stand, tell)),
}
