import { expect } from 'chai'
import { POD, REVISION } from '../../../common/api/names.ts'
import type { CanaryStep } from '../../../common/api/strategy.ts'
import { at } from '../../../common/json/json.ts'
import { gateWrites } from '../../../common/plan/fork-gate.ts'
import { openPods } from '../../../common/strategy/gate.ts'
import { imageOverride, installing } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { serving } from './simulated-pods.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld, START } from './some-run.ts'

const GATED = { mode: 'Gated' } as const
/** 10 pods of the source, 4 of the fork. */
const aGatedRun = (steps: readonly CanaryStep[], of: RunOf = {}, canary: object = {}) =>
  aRun(aRunExperiment({ replicas: 4, traffic: GATED, strategy: { canary: { steps, ...canary } }, ...of }))

/** Pods of the fork, and how many of them get requests. */
const seen = ({ world }: RunWorld) => ({ pods: world.pods.length, open: openPods(world.pods) })

const FIRST_A_PAUSE: readonly CanaryStep[] = [{ pause: {} }, { setWeight: 20 }, { pause: {} }]

describe('a gated canary', () => {
  it('runs all of its pods before the first weight, and none gets a request', () => {
    const run = aGatedRun(FIRST_A_PAUSE)
    run.rest()
    expect(run.step()).to.equal('0/6 Paused')
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
    expect(run.reasonOf('Ready')).to.equal('Available')
  })

  it('opens as many as a weight needs, and has more pods only if it needs more', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }])
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 3 })
    run.say('resume')
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 10, open: 10 })
  })

  it('shuts all at weight 0, and keeps its pods', () => {
    const run = aGatedRun([{ setWeight: 20 }, { setWeight: 0 }, { pause: {} }])
    run.rest()
    expect(run.step()).to.equal('2/6 Paused')
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
  })

  it('does not reach a weight while a pod of it is not open', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.pass()
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, hasReadyContainers: false }))
    run.rest()
    expect(run.step()).to.equal('0/5 Progressing')
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
  })

  it('opens a new pod in the place of one that is gone', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.world.pods = run.world.pods.filter(({ isOpen }) => !isOpen)
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 3 })
  })

  it('is updated while all are shut: to no pods, and back', () => {
    const run = aGatedRun(FIRST_A_PAUSE)
    run.rest()
    run.world.source = aSource(10, 'example/cart:1', { minReadySeconds: 5 })
    run.edit({ overrideSpec: imageOverride('example/cart:3') })
    const replicas = run
      .rest()
      .flatMap((write) => (write.role === 'fork' ? [at(write, 'object', 'spec', 'replicas')] : []))
    expect(replicas).to.deep.equal([0, 4])
    const present = at(run.world.fork, 'spec', 'template', 'metadata', 'annotations', REVISION)
    expect(run.world.pods.map(({ revision }) => revision)).to.deep.equal(Array(4).fill(present))
    expect(run.step()).to.equal('0/6 Paused')
  })

  it('keeps serving while it is updated with some open', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.world.source = aSource(10, 'example/cart:1', { template: sourceTemplate('other') })
    for (let passes = 0; passes < 20; passes += 1) {
      run.pass()
      expect(serving(run.world.pods)).to.be.at.least(2)
    }
    run.rest()
    const present = at(run.world.fork, 'spec', 'template', 'metadata', 'annotations', REVISION)
    expect(new Set(run.world.pods.map(({ revision }) => revision))).to.deep.equal(new Set([present]))
    expect(seen(run)).to.deep.equal({ pods: 4, open: 3 })
  })

  it('keeps an aborted fork for inspection, without requests, and then takes its pods', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.say('abort')
    run.rest()
    expect(run.step()).to.equal('1/3 Aborted')
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
    expect(run.reasonOf('Stalled')).to.equal('Aborted')
    run.wait(29)
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
    run.wait(1)
    run.rest()
    expect(run.step()).to.equal('3/3 Aborted')
    expect(seen(run)).to.deep.equal({ pods: 0, open: 0 })
  })

  it('keeps an aborted fork until it is deleted with abortScaleDownDelaySeconds 0, and can begin again', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }], {}, { abortScaleDownDelaySeconds: 0 })
    run.rest()
    run.say('abort')
    run.rest()
    run.wait(100_000)
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
    run.say('retry')
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 3 })
  })

  it('shuts an aborted fork whose containers never become ready, too', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.world.pods = run.world.pods.map((pod) => ({ ...pod, hasReadyContainers: false, isReady: false }))
    run.say('abort')
    run.rest()
    expect(run.step()).to.equal('1/3 Aborted')
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
  })

  it('shuts an aborted fork and takes its pods also where its source is gone', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.world.source = undefined
    run.say('abort')
    run.rest()
    expect(seen(run)).to.deep.equal({ pods: 4, open: 0 })
    run.wait(30)
    run.rest()
    expect(run.step()).to.equal('3/3 Aborted')
    expect(seen(run)).to.deep.equal({ pods: 0, open: 0 })
  })

  it('loses its pods at once when it is aborted where nobody can shut them, and never says that they are shut', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }], {}, { abortScaleDownDelaySeconds: 0 })
    run.rest()
    run.say('abort')
    const told: (string | undefined)[] = []
    for (let passes = 0; passes < 8; passes += 1) {
      run.pass({ gate: undefined, installed: installing('promotion') })
      told.push(run.messageOf())
    }
    expect([run.step(), seen(run).pods]).to.deep.equal(['3/3 Aborted', 0])
    expect(told.join()).to.not.contain('get no requests')
  })

  it('ends when it expires', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }], {
      ttlSeconds: 600,
      metadata: { creationTimestamp: START.toISOString() },
    })
    run.rest()
    run.wait(3_600)
    run.rest()
    expect(run.world.fork).to.equal(undefined)
    expect(run.step()).to.equal('3/3 Aborted')
  })

  it('is promoted with as many open as the promotion needs', () => {
    const run = aGatedRun([{ pause: {} }], { promotion: { mode: 'Manual' } })
    run.rest()
    run.say('promote')
    const opened = run.rest().filter(({ role }) => role === 'pod')
    expect(opened).to.have.length(2) // a rolling update of 10 takes down 2
    expect(run.step()).to.equal('3/4 Progressing')
    run.wait(30)
    run.rest()
    expect(run.step()).to.equal('4/4 Promoted')
    expect(run.world.fork).to.equal(undefined)
  })

  it('keeps its open pods while its promotion is undone', () => {
    const run = aGatedRun([{ setWeight: 50 }, { pause: {} }])
    run.rest()
    run.say('promote')
    run.rest()
    run.say('undo')
    for (let passes = 0; passes < 3; passes += 1) {
      run.pass()
      if (run.strategy()?.stepName === 'restore') expect(seen(run)).to.deep.equal({ pods: 10, open: 10 })
    }
    run.rest()
    expect(run.step()).to.equal('2/2 Undone')
    expect(seen(run)).to.deep.equal({ pods: 0, open: 0 })
  })

  it('opens no pod while the fork cannot be derived, and keeps those that are open', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.rest()
    run.world.source = undefined
    run.world.pods = run.world.pods.slice(1)
    const before = openPods(run.world.pods)
    run.rest()
    expect(openPods(run.world.pods)).to.equal(before)
  })

  it('changes no gate while its pods are not known, as in a review', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.pass()
    const facts = { ...run.facts(), gate: { pods: { is: 'unknown', because: 'a review' } as const } }
    expect(plan(facts).writes.filter(({ role }) => role === 'pod')).to.deep.equal([])
  })

  it('is refused where the installation has no gate', () => {
    const run = aGatedRun(FIRST_A_PAUSE)
    const facts = { ...run.facts(), gate: undefined, installed: installing('promotion') }
    expect(plan(facts).conclusion.reason).to.equal('NotInstalled')
  })

  it('writes the condition of the gate alone, with the uid of the pod', () => {
    const run = aGatedRun([{ setWeight: 20 }, { pause: {} }])
    run.pass()
    const [pod] = run.world.pods
    const write = plan(run.facts()).writes.find(({ role }) => role === 'pod')
    expect(write).to.deep.include({ verb: 'apply', role: 'pod', resource: POD })
    expect(at(write, 'object', 'metadata')).to.deep.equal({ namespace: 'shop', name: pod?.name, uid: pod?.uid })
    expect(Object.keys(at(write, 'object', 'status') as object)).to.deep.equal(['conditions'])
  })
})

/** The template of the source with another value of a variable. */
const sourceTemplate = (value: string) => ({
  metadata: { labels: { app: 'cart' } },
  spec: { containers: [{ name: 'cart', image: 'example/cart:1', env: [{ name: 'A', value }] }] },
})

describe('gateWrites', () => {
  it('writes nothing of a fork that is not gated', () => {
    const run = aRun()
    run.rest()
    if (!run.world.fork) throw new Error('no fork')
    const found = gateWrites(run.facts(), { gate: undefined } as never, run.world.fork)
    expect(found).to.deep.equal({ writes: [], isOpening: false })
  })
})
