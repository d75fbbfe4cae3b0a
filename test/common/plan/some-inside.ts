/** Canaries inside the size of their source, in memory: each pass is checked, and tests say when pods start. */
import { expect } from 'chai'
import { knownOrAbsent } from '../../../common/api/known.ts'
import { FORK_FINALIZER, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { at, objectOr } from '../../../common/json/json.ts'
import type { Plan } from '../../../common/outcome/conclusion.ts'
import { sizeRecordOf } from '../../../common/scaling/record.ts'
import { boundsOf } from '../../../common/scaling/sizes.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from './some-run.ts'

/** How many pods of a workload work. Tests let them start and crash. */
interface Pods {
  source: number
  fork: number
  /** whether the rollout of the source does not end */
  isStalled?: boolean
}

export interface Inside {
  readonly run: RunWorld
  readonly pods: Pods
  /** makes a pass and checks what it writes */
  pass(): Plan
  /** lets one pod of each side become available */
  start(): void
  /** passes and starts pods until nothing changes any more */
  rest(): void
  sizes(): readonly [fork: number, source: number]
}

const steps = (...weights: readonly number[]) => weights.flatMap((setWeight) => [{ setWeight }, { pause: {} }])
export const canary = (weights: readonly number[], of: object = {}) => ({
  canary: { scaleDownSource: true, scaleDownDelaySeconds: 0, steps: steps(...weights), ...of },
})

export function inside(size: number, weights: readonly number[], of: object = {}): Inside {
  const experiment = aRunExperiment({ strategy: canary(weights, of) })
  const finalizers = [FORK_FINALIZER]
  const metadata = { ...experiment.metadata, finalizers, creationTimestamp: '2026-11-21T09:00:00Z' }
  const run = aRun(
    { ...experiment, metadata },
    {
      source: aSource(size, 'example/cart:1', { strategy: { type: 'RollingUpdate' } }),
      isHealthy: false,
    },
  )
  const { world } = run
  const pods: Pods = { source: size, fork: 0 }
  const counted = (object: KubeObject | undefined, working: number): KubeObject | undefined => {
    if (!object) return undefined
    const replicas = replicasOf(object)
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: working, availableReplicas: working }
    const observedGeneration = object.metadata.generation ?? 1
    return { ...object, status: { observedGeneration, terminatingReplicas: 0, ...counts } }
  }
  const settle = () => {
    const { source, fork } = world
    pods.source = Math.min(pods.source, source ? replicasOf(source) : 0)
    pods.fork = Math.min(pods.fork, fork ? replicasOf(fork) : 0)
    const found = counted(source, pods.source)
    const rolling = { replicas: replicasOf(found ?? aSource()) + 1, updatedReplicas: 1 }
    world.source = found && pods.isStalled ? { ...found, status: { ...objectOr(found.status), ...rolling } } : found
    world.fork = counted(fork, pods.fork)
  }
  const pass = (): Plan => {
    settle()
    const [source, fork, { source: s, fork: f }] = [world.source, world.fork, { ...pods }]
    const scaling = { source: knownOrAbsent(source), sizedMs: 1_000, listedMs: 60_000 }
    const but: Partial<Facts> = { scaling, fork: knownOrAbsent(fork) }
    const planned = run.pass(but)
    isKept({ source, fork, planned, working: { source: s, fork: f } }, run)
    settle()
    return planned
  }
  const start = () => {
    pods.source = Math.min(pods.source + 1, world.source ? replicasOf(world.source) : 0)
    pods.fork = Math.min(pods.fork + 1, world.fork ? replicasOf(world.fork) : 0)
    settle()
  }
  return {
    ...{ run, pods, pass, start },
    rest() {
      let [before, same] = ['', 0]
      for (let count = 0; count < 400; count += 1) {
        pass()
        start()
        const now = JSON.stringify([world.source?.spec, world.source?.metadata, world.fork?.spec, run.strategy(), pods])
        same = now === before ? same + 1 : 0
        if (same > 4) return
        before = now
        run.wait(1)
      }
      throw new Error(`it does not rest: ${before}`)
    },
    sizes: () => [world.fork ? replicasOf(world.fork) : 0, world.source ? replicasOf(world.source) : 0],
  }
}

interface Passed {
  readonly source: KubeObject | undefined
  readonly fork: KubeObject | undefined
  readonly planned: Plan
  readonly working: Pods
}

/** What holds for each pass, as the world was before it. */
function isKept({ source, fork, planned, working }: Passed, { world }: RunWorld): void {
  const record = source && sizeRecordOf(source)
  if (!source || !record) return
  const size = record.written === replicasOf(source) ? record.size : replicasOf(source)
  const { canary: of } = world.experiment.spec.strategy ?? {}
  const { maxSurge = '25%', maxUnavailable = 0 } = of ?? {}
  const { least } = boundsOf(size, { maxSurge, maxUnavailable })
  const template = (object: KubeObject | undefined) => JSON.stringify(at(object, 'spec', 'template'))
  const deletions = planned.writes.filter(({ verb, role }) => verb === 'delete' && role === 'fork')
  expect(deletions, 'a serving fork is not deleted').to.have.length(0)
  if (fork && world.fork) expect(template(world.fork), 'the template of a serving fork').to.equal(template(fork))
  const left = (object: KubeObject | undefined, before: number) => Math.min(before, object ? replicasOf(object) : 0)
  const serving = left(world.source, working.source) + left(world.fork, working.fork)
  if (serving < working.source + working.fork) expect(serving, 'pods that serve after a shrink').to.be.at.least(least)
}

export const labelOf = ({ run }: Inside) => run.world.source?.metadata.labels?.[SCALED]?.replace(/^[^.]*/, 'uid')

/** Somebody else gives the source another size. */
export function setSize({ run: { world } }: Inside, replicas: number): void {
  const { source } = world
  if (!source) return
  const metadata = { ...source.metadata, generation: (source.metadata.generation ?? 0) + 1 }
  world.source = { ...source, metadata, spec: { ...(source.spec as object), replicas } }
}

/** Somebody takes our label off the source. */
export function loseLabel({ run: { world } }: Inside): void {
  const { source } = world
  if (!source) return
  const { [SCALED]: _lost, ...labels } = source.metadata.labels ?? {}
  world.source = { ...source, metadata: { ...source.metadata, labels } }
}

/** Somebody puts the label of another experiment on the source, and perhaps sets its size. */
export function setLabel({ run: { world }, pods }: Inside, label: string, replicas?: number): void {
  const { source } = world
  if (!source) return
  const labels = { ...source.metadata.labels, [SCALED]: label }
  const spec = { ...objectOr(source.spec), ...(replicas === undefined ? {} : { replicas }) }
  world.source = { ...source, metadata: { ...source.metadata, labels }, spec }
  if (replicas !== undefined) pods.source = replicas
}

/** Passes with two seconds between them, and something that happens before each. */
export function passes(it: Inside, count: number, happens: () => void = () => undefined): void {
  for (let done = 0; done < count; done += 1) {
    happens()
    it.pass()
    it.run.wait(2)
  }
}
