import { expect } from 'chai'
import fc from 'fast-check'
import { knownOrAbsent } from '../../../common/api/known.ts'
import { FORK_FINALIZER, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { at } from '../../../common/json/json.ts'
import type { Plan } from '../../../common/outcome/conclusion.ts'
import { sizeRecordOf } from '../../../common/scaling/record.ts'
import { boundsOf } from '../../../common/scaling/sizes.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { imageOverride } from '../../builders.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from './some-run.ts'

/** How many pods of a workload work. Tests let them start and crash. */
interface Pods {
  source: number
  fork: number
}

interface Inside {
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
const canary = (weights: readonly number[], of: object = {}) => ({
  canary: { scaleDownSource: true, scaleDownDelaySeconds: 0, steps: steps(...weights), ...of },
})

function inside(size: number, weights: readonly number[], of: object = {}): Inside {
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
    world.source = counted(source, pods.source)
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

const labelOf = ({ run }: Inside) => run.world.source?.metadata.labels?.[SCALED]?.replace(/^[^.]*/, 'uid')

describe('a canary inside the size of its source', () => {
  it('has the sizes of Argo at 20, 40, 60 and 80 % of five pods', () => {
    const it = inside(5, [20, 40, 60, 80])
    const seen = [20, 40, 60, 80].map(() => {
      it.rest()
      const sizes = it.sizes()
      it.run.say('resume')
      return sizes
    })
    expect(seen).to.deep.equal([[1, 4], [2, 3], [3, 2], [4, 1]]) // biome-ignore format: pairs
  })

  it('gives the source its pods back when it is aborted, and leaves nothing on it', () => {
    const it = inside(5, [80])
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[4, 1], 'uid.5.1'])
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), labelOf(it), it.run.strategy()?.scaled]).to.deep.equal([[0, 5], undefined, undefined])
  })

  it('is promoted with one pod of the source, which gets all of its pods after its rollout', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.say('promote')
    it.rest()
    expect(it.run.strategy()?.phase).to.equal('Promoted')
    expect([it.sizes()[1], labelOf(it), it.run.strategy()?.scaled]).to.deep.equal([5, undefined, undefined])
  })

  it('takes the number of somebody else as the size, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    setSize(it, 3)
    it.rest()
    expect(it.sizes()[1]).to.equal(3)
    expect(it.run.reasonOf('Paused')).to.equal('SourceScaled')
    it.run.say('resume')
    it.rest()
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[0, 3], undefined])
  })

  it('gives the source its pods back at once when its label is gone, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    loseLabel(it)
    it.rest()
    expect([it.sizes()[1], it.run.reasonOf('Paused')]).to.deep.equal([5, 'SourceScaled'])
  })

  it('gives the source its pods back when an autoscaler appears, and waits until that is gone', () => {
    const it = inside(5, [80])
    it.rest()
    expect(it.pass().conclusion.recheckMs).to.equal(60_000) // no event tells of autoscalers
    const target = { kind: 'Deployment', name: 'cart' }
    const autoscalers = [{ name: 'cart', target, min: 1, max: 9, isOnCpu: true }]
    it.run.world.neighbours = { ...NO_NEIGHBOURS, autoscalers }
    it.rest()
    expect([it.sizes(), labelOf(it)]).to.deep.equal([[2, 5], undefined])
    expect(it.run.reasonOf('Ready')).to.equal('SourceIsAutoscaled')
    it.run.world.neighbours = NO_NEIGHBOURS
    it.rest()
    expect(it.sizes()).to.deep.equal([4, 1])
  })

  it('takes the number of a source that was created again as the size, and waits', () => {
    const it = inside(5, [80])
    it.rest()
    const { world } = it.run
    world.source = undefined
    it.rest()
    const again = aSource(5, 'example/cart:1', { strategy: { type: 'RollingUpdate' } })
    world.source = { ...again, metadata: { ...again.metadata, uid: 'another' } }
    it.rest()
    expect([it.sizes(), it.run.reasonOf('Paused'), labelOf(it)]).to.deep.equal([[2, 5], 'SourceScaled', undefined])
  })

  it('leaves a source alone that another experiment makes smaller', () => {
    const it = inside(5, [20])
    const { world } = it.run
    const others = 'c3d4.5.1'
    setSize(it, 1)
    world.source = world.source && {
      ...world.source,
      metadata: { ...world.source.metadata, labels: { [SCALED]: others } },
    }
    it.rest()
    expect([it.sizes(), it.run.reasonOf('Ready'), it.run.step()]).to.deep.equal([
      [0, 1],
      'SourceIsBusy',
      '0/6 Progressing',
    ])
    it.run.say('abort')
    it.rest()
    expect([it.sizes(), world.source?.metadata.labels]).to.deep.equal([[0, 1], { [SCALED]: others }])
    expect(it.run.step()).to.equal('1/1 Aborted')
  })

  it('begins again with another image only when the source has its pods', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.edit({ overrideSpec: imageOverride('example/cart:3') })
    it.rest()
    expect([it.sizes(), it.run.strategy()?.attempt, labelOf(it)]).to.deep.equal([[4, 1], 1, 'uid.5.1'])
    expect(JSON.stringify(it.run.world.fork?.spec)).to.contain('example/cart:3')
  })

  it('aborts when its fork has no ready pod', () => {
    const it = inside(5, [80])
    it.rest()
    it.pods.fork = 0
    it.pass()
    expect([it.run.strategy()?.path, it.run.strategy()?.cause]).to.deep.equal([
      'Abort',
      'deployment/cart gets its pods back, because no pod of the fork was ready',
    ])
    it.rest()
    expect(it.sizes()).to.deep.equal([0, 5])
  })

  it('keeps its fork where the component is gone, and says what gives the pods back', () => {
    const it = inside(5, [80])
    it.rest()
    it.run.world.isPromotionInstalled = false
    it.run.say('abort')
    it.pass()
    it.pass()
    expect(it.sizes()).to.deep.equal([4, 1])
    expect(it.run.reasonOf('Stalled')).to.equal('NotInstalled')
    expect(it.run.messageOf('Ready')).to.contain('kubectl patch deployment/cart --namespace=shop')
  })

  const EVENTS: Readonly<Record<string, (it: Inside) => void>> = {
    pass: (it) => it.pass(),
    start: (it) => it.start(),
    promote: ({ run }) => run.say('promote'),
    abort: ({ run }) => run.say('abort'),
    pause: ({ run }) => run.say('pause'),
    resume: ({ run }) => run.say('resume'),
    retry: ({ run }) => run.say('retry'),
    undo: ({ run }) => run.say('undo'),
    'another image': ({ run }) =>
      run.edit({ overrideSpec: imageOverride(`example/cart:${run.world.now.getTime() % 7}`) }),
    'other steps': ({ run }) => run.edit({ strategy: canary([30, 60]) }),
    'no strategy': ({ run }) => run.edit({ strategy: undefined }),
    'an invalid override': ({ run }) => run.edit({ overrideSpec: { template: 'no' } }),
    'a label is lost': loseLabel,
    'a status is lost': ({ run }) => {
      const { status: _lost, ...experiment } = run.world.experiment
      run.world.experiment = experiment
    },
    'somebody sets 3': (it) => setSize(it, 3),
    'somebody sets 9': (it) => setSize(it, 9),
    'a pod of the fork crashes': ({ pods }) => {
      pods.fork = Math.max(0, pods.fork - 1)
    },
    'a pod of the source crashes': ({ pods }) => {
      pods.source = Math.max(0, pods.source - 1)
    },
    'a new base': ({ run: { world } }) => {
      const { source } = world
      if (!source) return
      const image = `example/cart:base-${(source.metadata.generation ?? 0) % 3}`
      const changed = aSource(replicasOf(source), image)
      const metadata = { ...source.metadata, generation: (source.metadata.generation ?? 0) + 1 }
      world.source = { ...source, metadata, spec: { ...(changed.spec as object), replicas: replicasOf(source) } }
    },
  }

  const ending = (it: Inside, end: 'deleted' | 'expired' | 'aborted') => {
    const { world } = it.run
    const { metadata, spec } = world.experiment
    if (end === 'deleted')
      world.experiment = {
        ...world.experiment,
        metadata: { ...metadata, deletionTimestamp: world.now.toISOString(), finalizers: [FORK_FINALIZER] },
      }
    if (end === 'expired') it.run.wait(86_400)
    if (end === 'expired') world.experiment = { ...world.experiment, spec: { ...spec, ttlSeconds: 1 } }
    if (end === 'aborted') it.run.say('abort')
  }

  it('keeps its fork and its bounds whatever happens, and in the end the source has a size of its own', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5, 10),
        fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 40 }),
        fc.constantFrom('deleted' as const, 'expired' as const, 'aborted' as const),
        (size, events, end) => {
          const it = inside(size, [20, 80])
          for (const event of events) {
            EVENTS[event]?.(it)
            it.pass()
            it.run.wait(1)
          }
          ending(it, end)
          it.rest()
          if (end === 'aborted' && it.run.strategy()?.path !== 'Abort') return
          expect(labelOf(it), 'the label in the end').to.equal(undefined)
        },
      ),
    ))
})

function setSize({ run: { world } }: Inside, replicas: number): void {
  const { source } = world
  if (!source) return
  const metadata = { ...source.metadata, generation: (source.metadata.generation ?? 0) + 1 }
  world.source = { ...source, metadata, spec: { ...(source.spec as object), replicas } }
}

function loseLabel({ run: { world } }: Inside): void {
  const { source } = world
  if (!source) return
  const { [SCALED]: _lost, ...labels } = source.metadata.labels ?? {}
  world.source = { ...source, metadata: { ...source.metadata, labels } }
}
