import { auditEvents } from '../../sandbox/audit.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { type Bench, type Figure, ratioFigure } from './figure.ts'
import { deployments, experiments, type Side } from './forks.ts'
import { usageOf } from './process-usage.ts'
import { createCrowd, onPlane, withProduct } from './stand.ts'

const FEW = 200
const MANY = 1_000
const CPU_FEW = 100
const CPU_MANY = 1_600
/** for one crowd; five times what a quiet machine needs */
const DEADLINE_MS = 300_000
/** shares that merely drift are written within a minute; the last pass comes at most so long after the one before */
const QUIET_MS = 15_000

/** How often the controller wrote the status of an experiment. */
async function statusWrites({ auditLog }: ControlPlane): Promise<number> {
  let count = 0
  for await (const { objectRef, verb, user } of auditEvents(auditLog, '"subresource":"status"'))
    if (objectRef?.resource === 'experimentdeployments' && verb === 'patch' && user.username.includes('controller'))
      count += 1
  return count
}

type Tell = (line: string) => void

/**
 * The seconds until `count` objects of a side are ready, in a new control plane, and the status writes until all is
 * quiet.
 */
async function measure(tell: Tell, side: Side, count: number) {
  const creation = { side, namespace: 'crowd', count, deadlineMs: DEADLINE_MS }
  if (side === deployments) {
    const { seconds } = await onPlane(tell, (stand) => createCrowd(stand, creation))
    tell(`${count} ${side.name}: ${seconds.toFixed(1)} s`)
    return { seconds, writes: 0 }
  }
  return withProduct(tell, async (stand) => {
    const { seconds, watch, repeated } = await createCrowd(stand, creation)
    if (repeated > 0) tell(`${repeated} requests were repeated: the machine is too busy to measure`)
    const ready = await statusWrites(stand.plane)
    await watch.quiet(QUIET_MS, DEADLINE_MS)
    const writes = await statusWrites(stand.plane)
    watch.stop()
    tell(
      `${count} ${side.name}: ${seconds.toFixed(1)} s, ${ready} status writes until then, ${writes} until all was quiet`,
    )
    return { seconds, writes }
  })
}

/** Each side goes first once, because the machine may become slower or faster meanwhile. */
async function besideDeployments(tell: Tell, count: number): Promise<readonly [Figure, number]> {
  const [seconds, bare, writes]: [number[], number[], number[]] = [[], [], []]
  for (const side of [deployments, experiments, experiments, deployments]) {
    const found = await measure(tell, side, count)
    if (side === deployments) bare.push(found.seconds)
    else {
      seconds.push(found.seconds)
      writes.push(found.writes)
    }
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const name = `${count} forks to Ready`
  const figure = ratioFigure({ name, value: mean(seconds), unit: 's', against: mean(bare), atMost: 1.5 })
  return [figure, Math.max(...writes)]
}

/**
 * The processor time of the controller for each fork, until all is quiet. A first crowd warms the process up: otherwise
 * compiling would be most of what few forks cost.
 */
async function cpuFigure(tell: Tell): Promise<Figure> {
  return withProduct(tell, async (stand) => {
    const perFork = async (namespace: string, count: number) => {
      const { pid } = stand.product.controller()
      const before = await usageOf(pid)
      const creation = { side: experiments, namespace, count, deadlineMs: DEADLINE_MS }
      const { watch, seconds } = await createCrowd(stand, creation)
      const ready = await usageOf(pid)
      await watch.quiet(QUIET_MS, DEADLINE_MS)
      watch.stop()
      const after = await usageOf(pid)
      const [untilReady, value] = [ready, after].map(({ cpuMs }) => (cpuMs - before.cpuMs) / count)
      tell(
        `${count} forks: ${value?.toFixed(1)} ms of CPU each, ${untilReady?.toFixed(1)} until Ready after ` +
          `${seconds.toFixed(1)} s; ${after.residentMiB.toFixed(0)} MiB, ${after.peakMiB.toFixed(0)} at most`,
      )
      return value ?? 0
    }
    await perFork('warm-up', CPU_FEW)
    const against = await perFork('few', CPU_FEW)
    const value = await perFork('many', CPU_MANY)
    return ratioFigure({ name: `controller CPU a fork, ${CPU_MANY}`, value, unit: 'ms', against, atMost: 1.3 })
  })
}

/** What a fork costs in time, writes and processor time, and whether it costs more among many. */
export const scale: Bench = {
  name: 'scale',
  measures: `${FEW} and ${MANY} experiments of one source behind one Service, beside Deployments written directly`,
  async run(tell) {
    const [few] = await besideDeployments(tell, FEW)
    const [many, writes] = await besideDeployments(tell, MANY)
    const name = `status writes, ${MANY} forks`
    const written = ratioFigure({ name, value: writes, unit: 'writes', against: MANY, atMost: 4 })
    return [few, many, written, await cpuFigure(tell)]
  },
}
