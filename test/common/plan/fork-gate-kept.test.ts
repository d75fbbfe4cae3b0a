import { expect } from 'chai'
import { at, type JsonObject, objectOr } from '../../../common/json/json.ts'
import { NO_POLICIES } from '../../builders.ts'
import { aPolicy } from '../policy/policy-input.ts'
import { aCutOver, ID, pinsOf, told } from '../run/blue-greens.ts'
import { imageIn } from '../run/promotions.ts'
import { serving } from './simulated-pods.ts'
import { aRun, aRunExperiment, aSource, type RunWorld } from './some-run.ts'
import { available } from './some-world.ts'

/** The source after a release by others, which concerns its pods. */
const released = (replicas = 10) => {
  const { metadata, ...source } = aSource(replicas)
  const spec = objectOr(source.spec) as JsonObject
  const template = { ...objectOr(spec.template), metadata: { labels: { app: 'cart' }, annotations: { release: '2' } } }
  return available({ ...source, metadata: { ...metadata, generation: 3 }, spec: { ...spec, template } })
}
const templateOf = ({ world: { fork } }: RunWorld) => JSON.stringify(at(fork, 'spec', 'template'))

describe('a fork that gets all requests while its source changes', () => {
  it('keeps its template, is Ready as it is, and can be promoted', () => {
    const run = aCutOver({}, { promotion: { mode: 'Manual' } })
    run.wait(600)
    run.rest()
    const before = templateOf(run)
    run.world.source = released()
    expect(told(run.rest())).to.deep.equal([])
    expect([templateOf(run), run.reasonOf('Ready')]).to.deep.equal([before, 'Available'])
    run.say('promote')
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:2')
  })

  it('goes on to follow the size of its source', () => {
    const run = aCutOver()
    run.world.source = released(20)
    expect(told(run.rest())).to.include('patch fork')
    expect([run.pods(), serving(run.world.pods)]).to.deep.equal([20, 20])
    run.world.source = released(8)
    run.rest()
    expect(run.pods()).to.equal(8)
  })

  it('is repaired when somebody scales it, and not when its source is scaled', () => {
    const run = aCutOver()
    const repairs = () =>
      run.rest().flatMap((write) => (write.role === 'fork' && 'isRepair' in write ? [write.isRepair] : []))
    for (const replicas of [20, 8, 12]) {
      run.world.source = released(replicas)
      expect(repairs()).to.deep.equal([false])
    }
    const { fork } = run.world
    if (!fork) throw new Error('there is no fork')
    const { generation = 0, ...metadata } = fork.metadata
    const spec = { ...objectOr(fork.spec), replicas: 3 }
    run.world.fork = { ...fork, spec, metadata: { ...metadata, generation: generation + 1 } }
    expect(repairs()).to.deep.equal([true])
  })

  it('grows only as far as policies allow it', () => {
    const run = aCutOver()
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ maxReplicas: 10 })] }
    run.world.source = released(20)
    run.rest()
    expect(run.pods()).to.equal(10)
  })

  it('does not follow it to no pods', () => {
    const run = aCutOver()
    run.world.source = aSource(0)
    run.rest()
    expect([run.pods(), serving(run.world.pods), pinsOf(run)[0]]).to.deep.equal([10, 10, ID])
  })
})

describe('a fork that serves for a source that is written', () => {
  /** A source whose own rollout takes down all pods, in the middle of it. */
  const rollingOut = () => {
    const source = aSource(10, 'example/cart:1', { strategy: { type: 'Recreate' } })
    const strategy = { canary: { steps: [{ setWeight: 10 }] } }
    const run = aRun(aRunExperiment({ strategy, promotion: { mode: 'Automatic' } }), { source })
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { generation = 0 } = run.world.source?.metadata ?? {}
    if (run.world.source)
      run.world.source = { ...run.world.source, status: { observedGeneration: generation, replicas: 0 } }
    run.rest()
    return run
  }

  it('keeps its template when somebody changes that of the source', () => {
    const run = rollingOut()
    const before = templateOf(run)
    const { spec, ...source } = run.world.source ?? aSource()
    const template = {
      ...objectOr(at(spec, 'template')),
      metadata: { labels: { app: 'cart' }, annotations: { a: 'b' } },
    }
    run.world.source = { ...source, spec: { ...objectOr(spec), template } }
    run.rest()
    expect([templateOf(run), run.pods()]).to.deep.equal([before, 10])
  })

  it('keeps its pods although a policy forbids that it is alone', () => {
    const run = rollingOut()
    const pods = Array.from({ length: 10 }, (_, index) => ({
      uid: `f${index}`,
      pod: `${run.world.fork?.metadata.name}-${index}`,
    }))
    run.world.traffic = {
      services: [{ name: 'cart', selector: { app: 'cart' }, ports: [] }],
      slices: [{ service: 'cart', ready: pods }],
    } as never
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ aloneBehindService: 'Deny' })] }
    run.rest()
    run.wait(11)
    run.rest()
    expect(run.pods(), run.messageOf()).to.equal(10)
  })
})
