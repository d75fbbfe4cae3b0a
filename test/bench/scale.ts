import type { KubeObject } from '../../common/api/object.ts'
import { watchCrowd } from './crowd-watch.ts'
import { type Bench, type Figure, median, plainFigure, ratioFigure } from './figure.ts'
import { deployments, experiments, prepare, type Side } from './forks.ts'
import { usageOf } from './process-usage.ts'
import { driftFigures, shareDrift, statusWrites } from './share-drift.ts'
import { createCrowd, onPlane, withProduct } from './stand.ts'

const FEW = 200
const MANY = 1_000
const CPU_FEW = 100
const ROUNDS = 21
const CPU_MANY = 1_600
/** for one crowd; five times what a quiet machine needs */
const DEADLINE_MS = 300_000
/** shares that merely drift are written within a minute; the last pass comes at most so long after the one before */
const QUIET_MS = 15_000

type Tell = (line: string) => void

interface Measured {
  readonly seconds: number
  /** of statuses, until all was quiet */
  readonly writes: number
  /** of one pod more for the source of a large crowd, afterwards */
  readonly drift: readonly Figure[]
}

/**
 * The seconds until `count` objects of a side are ready, in a new control plane, the status writes until all is quiet,
 * and what one pod more causes then.
 */
async function measure(tell: Tell, side: Side, count: number): Promise<Measured> {
  const creation = { side, namespace: 'crowd', count, deadlineMs: DEADLINE_MS }
  if (side === deployments) {
    const { seconds } = await onPlane(tell, (stand) => createCrowd(stand, creation))
    tell(`${count} ${side.name}: ${seconds.toFixed(1)} s`)
    return { seconds, writes: 0, drift: [] }
  }
  return withProduct(tell, async (stand) => {
    const { pid } = stand.product.controller()
    const before = await usageOf(pid)
    const { seconds, watch, repeated } = await createCrowd(stand, creation)
    if (repeated > 0) tell(`${repeated} requests were repeated: the machine is too busy to measure`)
    const { length: ready } = await statusWrites(stand.plane)
    await watch.quiet(QUIET_MS, DEADLINE_MS)
    const { length: writes } = await statusWrites(stand.plane)
    tell(
      `${count} ${side.name}: ${seconds.toFixed(1)} s, ${ready} status writes until then, ${writes} until all was quiet`,
    )
    const createdCpuSeconds = ((await usageOf(pid)).cpuMs - before.cpuMs) / 1_000
    const scene = { plane: stand.plane, product: stand.product, watch, namespace: creation.namespace }
    const drift = count === MANY ? driftFigures(await shareDrift(scene), { count, createdCpuSeconds }) : []
    watch.stop()
    for (const { name, value, unit } of drift) tell(`${name}: ${value.toFixed(1)} ${unit}`)
    return { seconds, writes, drift }
  })
}

/**
 * Each side goes first once, because the machine may become slower or faster meanwhile. Returns the figure of the time,
 * the most status writes, and the worst figures of one pod more.
 */
async function besideDeployments(tell: Tell, count: number) {
  const [found, bare]: [Measured[], number[]] = [[], []]
  for (const side of [deployments, experiments, experiments, deployments]) {
    const measured = await measure(tell, side, count)
    if (side === deployments) bare.push(measured.seconds)
    else found.push(measured)
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const name = `${count} forks to Ready`
  const value = mean(found.map(({ seconds }) => seconds))
  const figure = plainFigure({ name, value, unit: 's', against: mean(bare) })
  const drifts = Map.groupBy(
    found.flatMap(({ drift }) => drift),
    (each) => each.name,
  )
  const worst = [...drifts.values()].map((same) => same.reduce((a, b) => (b.value > a.value ? b : a)))
  return { figure, writes: Math.max(...found.map(({ writes }) => writes)), worst }
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

/** From the start of kubectl for one object until it is ready: an experiment beside a Deployment with the same pod. */
async function oneFigure(tell: Tell): Promise<Figure> {
  return withProduct(tell, async ({ plane, client }) => {
    const namespace = 'one'
    const source = await prepare(plane, namespace)
    const times = async (side: Side, index: number): Promise<number> => {
      const object = side.object(index, namespace, source) as KubeObject
      const isReady = (each: KubeObject) => each.metadata.name === object.metadata.name && side.isReady(each)
      const watch = await watchCrowd({ client, path: side.path(namespace), isReady })
      const startedMs = performance.now()
      const { code, stderr } = await plane.kubectl(['create', '-f', '-'], { input: JSON.stringify(object) })
      if (code !== 0) throw new Error(stderr)
      await watch.ready(1, DEADLINE_MS)
      watch.stop()
      return watch.crowd.changedMs - startedMs
    }
    const [bare, ours]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await times(deployments, 2 * round))
      ours.push(await times(experiments, 2 * round + 1))
    }
    const [against, value] = [median(bare), median(ours)]
    return ratioFigure({ name: 'kubectl, one fork to Ready', value, unit: 'ms', against, atMost: 1.4 })
  })
}

/** What a fork costs in time, writes and processor time, and whether it costs more among many. */
export const scale: Bench = {
  name: 'scale',
  measures: `${FEW} and ${MANY} experiments of one source behind one Service, beside Deployments written directly, and one pod more`,
  async run(tell) {
    const few = await besideDeployments(tell, FEW)
    const { figure, writes, worst } = await besideDeployments(tell, MANY)
    const name = `status writes, ${MANY} forks`
    const written = ratioFigure({ name, value: writes, unit: 'writes', against: MANY, atMost: 3.2 })
    return [await oneFigure(tell), few.figure, figure, written, ...worst, await cpuFigure(tell)]
  },
}
