/** One pod more of a source: the share of every fork changes a little, and each status says so. */
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import type { Installation } from '../../sandbox/installation.ts'
import { type Figure, limitFigure } from './figure.ts'
import { deployments } from './forks.ts'
import { usageOf } from './process-usage.ts'
import type { Created } from './stand.ts'

/** Within this time every status has the new share. A goal of scale, as the next two. */
const WITHIN_SECONDS = 60
/** Statuses in a second that only say a new share. */
const WRITES_PER_SECOND = 20
/** What a thousand such statuses cost before they were paced. */
const CPU_SECONDS = 3.5
/** The rate is that of the busiest time of this length: in a short one, a few late writes would count twice. */
const WINDOW_MS = 10_000
/** What an idle controller needs is measured so long, and not counted. */
const IDLE_MS = 10_000
const QUIET_MS = 15_000
const DEADLINE_MS = 300_000

/** A status that was written, and when. */
export interface StatusWrite {
  readonly name: string
  readonly atMs: number
}

/** What one pod more has caused. */
export interface ShareDrift {
  readonly scaledAtMs: number
  /** since the pod was added, in any order */
  readonly writes: readonly StatusWrite[]
  /** of the controller since then, without what it needs when it is idle */
  readonly cpuSeconds: number
}

/** The writes of statuses of experiments by the controller so far. */
export async function statusWrites({ auditLog }: Pick<ControlPlane, 'auditLog'>): Promise<readonly StatusWrite[]> {
  const found: StatusWrite[] = []
  for await (const event of auditEvents(auditLog, '"subresource":"status"'))
    if (isStatusOfController(event))
      found.push({ name: event.objectRef?.name ?? '', atMs: Date.parse(event.requestReceivedTimestamp) })
  return found
}

const isStatusOfController = ({ objectRef, verb, user }: AuditEvent): boolean =>
  objectRef?.resource === 'experimentdeployments' && verb === 'patch' && user.username.includes('controller')

interface Scene {
  readonly plane: ControlPlane
  readonly product: Installation
  /** of a crowd on `cart` in `namespace` that is quiet */
  readonly watch: Created['watch']
  readonly namespace: string
}

/** Gives the source of a quiet crowd one pod more, until the crowd is quiet again. */
export async function shareDrift({ plane, product, watch, namespace }: Scene): Promise<ShareDrift> {
  const { pid } = product.controller()
  const source = `${deployments.path(namespace)}/cart`
  const { spec } = await plane.api.get<{ readonly spec: { readonly replicas: number } }>(source)
  const idle = await usageOf(pid)
  await pause(IDLE_MS)
  const before = await usageOf(pid)
  const scaledAtMs = Date.now()
  await plane.api.patch(source, { spec: { replicas: spec.replicas + 1 } })
  await pause(WITHIN_SECONDS * 1_000)
  await watch.quiet(QUIET_MS, DEADLINE_MS)
  const after = await usageOf(pid)
  const idleCpuMs = ((before.cpuMs - idle.cpuMs) / IDLE_MS) * (Date.now() - scaledAtMs)
  const writes = (await statusWrites(plane)).filter(({ atMs }) => atMs >= scaledAtMs)
  return { scaledAtMs, writes, cpuSeconds: (after.cpuMs - before.cpuMs - idleCpuMs) / 1_000 }
}

interface DriftOf {
  /** how many forks there are */
  readonly count: number
  /** of the controller, for the creation of the crowd */
  readonly createdCpuSeconds: number
}

/**
 * The figures of one pod more with `count` forks, beside the lowest rate that is in time, the shortest time at the
 * highest rate, and the creation of the crowd. A status that was never written counts as one that comes too late.
 */
export function driftFigures(drift: ShareDrift, { count, createdCpuSeconds }: DriftOf): readonly Figure[] {
  const { scaledAtMs, writes, cpuSeconds } = drift
  const name = `one pod more, ${count} forks`
  const isWhole = new Set(writes.map((write) => write.name)).size >= count
  const lastMs = isWhole ? Math.max(...writes.map(({ atMs }) => atMs)) : Number.POSITIVE_INFINITY
  return [
    limitFigure({
      name: `${name}: rate`,
      value: perSecond(writes),
      unit: 'statuses/s',
      against: count / WITHIN_SECONDS,
      atMost: WRITES_PER_SECOND,
    }),
    limitFigure({
      name: `${name}: the last`,
      value: (lastMs - scaledAtMs) / 1_000,
      unit: 's',
      against: count / WRITES_PER_SECOND,
      atMost: WITHIN_SECONDS,
    }),
    limitFigure({
      name: `${name}: CPU`,
      value: cpuSeconds,
      unit: 's',
      against: createdCpuSeconds,
      atMost: CPU_SECONDS,
    }),
  ]
}

/** Writes in a second, in the busiest window. */
function perSecond(writes: readonly StatusWrite[]): number {
  const times = writes.map(({ atMs }) => atMs).toSorted((a, b) => a - b)
  let [first, most] = [0, 0]
  for (const [last, atMs] of times.entries()) {
    while (atMs - (times[first] ?? atMs) >= WINDOW_MS) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most / (WINDOW_MS / 1_000)
}
