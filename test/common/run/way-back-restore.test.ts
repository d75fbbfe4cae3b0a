import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { anExperiment, imageOverride, NO_POLICIES } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { aRun, aRunExperiment, aSource, type RunOf } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { aPolicy } from '../policy/policy-input.ts'
import { imageIn, promotionIn, writesOf } from './promotions.ts'

describe('an undo', () => {
  const promoted = (of: RunOf = {}, given: Parameters<typeof aRun>[1] = {}) => {
    const run = aRun(aRunExperiment({ promotion: { mode: 'Manual' }, ...of }), given)
    run.rest()
    run.say('promote')
    run.rest()
    return run
  }

  it('leaves nothing in the status that says when it was written: a controller that is killed cannot know', () => {
    const run = promoted()
    run.say('undo')
    run.rest()
    expect(run.strategy()?.phase).to.equal('Undone')
    expect(promotionIn(run)).to.not.have.property('restored')
  })

  it('gives the source its former values, once', () => {
    const run = promoted()
    run.say('undo')
    expect(writesOf(run).filter((write) => write === 'patch source')).to.have.length(1)
    expect(imageIn(run)).to.equal('example/cart:1')
    expect([run.strategy()?.phase, run.pods()]).to.deep.equal(['Undone', 0])
  })

  const recreated = (isHealthy = true) => {
    const source = aSource(4, 'example/cart:1', { strategy: { type: 'Recreate' } })
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }), { source })
    run.rest()
    run.wait(30)
    run.rest()
    expect([run.strategy()?.phase, run.world.fork]).to.deep.equal(['Promoted', undefined])
    run.world.isHealthy = isHealthy
    run.say('undo')
    return run
  }

  it('after the end makes the fork anew, with the pods that the source takes down', () => {
    const run = recreated()
    const ours = ['patch experiment', 'apply newFork', 'patch source', 'apply fork', 'patch experiment']
    expect(writesOf(run)).to.deep.equal(ours)
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('waits for these pods while those of the source serve, and no longer', () => {
    const run = recreated(false)
    expect(writesOf(run)).to.not.include('patch source')
    expect([run.pods(), run.reasonOf('Ready')]).to.deep.equal([4, 'Undoing'])
    const { source } = run.world
    if (source)
      run.world.source = { ...source, status: { ...objectOr(source.status), readyReplicas: 1, availableReplicas: 1 } }
    expect(writesOf(run)).to.include('patch source')
  })

  it('has the pods that the former strategy of the source takes down', () => {
    const source = aSource(4, 'example/cart:1', { strategy: { type: 'Recreate' } })
    const rolling = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } }
    const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec: rolling, promotion: { mode: 'Automatic' } }), {
      source,
    })
    run.rest()
    run.say('undo')
    const sizes = run.rest().flatMap((write) => ('object' in write ? [replicasOf(write.object)] : []))
    expect([sizes, run.strategy()?.phase]).to.deep.equal([[4, 0], 'Undone'])
  })

  it('does not wait for pods that a policy forbids', () => {
    const run = recreated()
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ maxReplicas: 2 })] }
    expect(writesOf(run)).to.include('patch source')
  })

  it('does not wait for pods for which a limit has no place', () => {
    const run = recreated()
    const metadata = {
      ...anExperiment().metadata,
      name: 'other',
      uid: 'other',
      creationTimestamp: '2026-11-21T09:00:00Z',
    }
    const others = [{ experiment: { ...anExperiment(), metadata }, replicas: 1 }]
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ maxExperimentsPerSource: 1 })], others }
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('N11: leaves a value alone that somebody has changed since, and ends', () => {
    const run = promoted()
    run.world.source = aSource(10, 'example/cart:3')
    run.say('undo')
    expect(writesOf(run)).to.not.include('patch source')
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:3', 'Undone'])
    expect(run.messageOf()).to.contain('the source no longer has the change')
  })

  it('N11: makes no fork again where the source has nothing of the change any more', () => {
    const run = recreated()
    run.world.source = aSource(4, 'example/cart:3', { strategy: { type: 'Recreate' } })
    const sizes = run.rest().flatMap((write) => ('object' in write ? [replicasOf(write.object)] : []))
    expect([sizes, run.strategy()?.phase]).to.deep.equal([[0], 'Undone'])
  })

  it('N11: is done when somebody else has taken the change back meanwhile', () => {
    const run = recreated(false)
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('Undoing')
    run.world.isHealthy = true
    run.world.source = aSource(4, 'example/cart:1', { strategy: { type: 'Recreate' } })
    expect(writesOf(run)).to.not.include('patch source')
    expect(run.strategy()?.phase).to.equal('Undone')
  })

  it('N11: ends by abort, which leaves the source as it is; a later undo takes the change back', () => {
    const run = recreated(false)
    run.rest()
    run.world.isHealthy = true
    run.say('abort')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase, run.pods()]).to.deep.equal(['example/cart:2', 'Aborted', 0])
    run.say('undo')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('restores also what the first of two promotions changed, if only the rest was changed back in between', () => {
    const overrideSpec = { ...imageOverride('example/cart:2'), minReadySeconds: 20 }
    const strategy = { canary: { steps: [{ setWeight: 10 }], scaleDownDelaySeconds: 3_600 } }
    const run = promoted({ overrideSpec, strategy }, { source: aSource(10, 'example/cart:1', { minReadySeconds: 5 }) })
    const { metadata, ...changed } = aSource(10, 'example/cart:1', { minReadySeconds: 20 })
    run.world.source = available({ ...changed, metadata: { ...metadata, generation: 3 } })
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('SourceReverted')
    for (const verb of ['promote', 'undo']) {
      run.say(verb, 'bob')
      run.rest()
    }
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
    expect(objectOr(run.world.source?.spec).minReadySeconds).to.equal(5)
  })

  it('has nothing to restore where the record could not be stored', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    while (!promotionIn(run)?.record) run.pass()
    run.world.record = undefined
    run.say('undo')
    expect(writesOf(run)).to.not.include('patch source')
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
  })

  it('N11: is refused where somebody replaced the record, and makes no fork again', () => {
    const run = promoted()
    if (run.world.record) run.world.record = { ...run.world.record, data: { forward: {}, inverse: { paused: true } } }
    run.say('undo')
    expect(writesOf(run)).to.deep.equal([])
    expect(run.strategy()?.command?.message).to.contain('the record of the former values is gone')
  })

  it('N11: without the record of the former values promises only abort, because nothing else ends it', () => {
    const run = recreated(false)
    run.rest()
    run.world.record = undefined
    run.rest()
    const told =
      'the record of the former values is gone; give the command abort, which leaves deployment/cart as it is'
    expect([run.reasonOf('Ready'), run.messageOf()]).to.deep.equal(['SourceDrifted', told])
    run.world.isHealthy = true
    run.say('abort')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:2', 'Aborted'])
  })

  it('N11: ends where the API server refuses its write, and never comes later; it can be given again', () => {
    const run = promoted()
    run.say('undo')
    while (run.strategy()?.stepName !== 'restore') run.pass()
    const facts = run.facts()
    const { writes, conclusion, ifRefused } = plan(facts)
    expect(writes.map(({ role }) => role)).to.deep.equal(['source'])
    const ended = ifRefused?.(`cart is invalid: ${'volume "v" is not found; '.repeat(40)}`)
    const { reason, message = '' } = ended?.moved ?? {}
    const why = 'the undo ends, because the API server refuses to restore deployment/cart: cart is invalid: volume "v"'
    expect([reason, message.startsWith(why), message.length < 400]).to.deep.equal(['Aborted', true, true])
    const status = statusOf(facts, { ...conclusion, ...(ended ? { run: ended } : {}) })
    run.world.experiment = { ...run.world.experiment, status }
    expect(writesOf(run)).to.not.include('patch source')
    expect([imageIn(run), run.strategy()?.phase, run.pods()]).to.deep.equal(['example/cart:2', 'Aborted', 0])
    run.say('undo')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  describe('whose values the API server, or an admission webhook, does not store', () => {
    const kept = (source: KubeObject): KubeObject => ({
      ...source,
      spec: { ...objectOr(source.spec), minReadySeconds: 5 } as JsonObject,
    })

    /** The undo of a promotion after which the source keeps its `minReadySeconds`. */
    function undone(overrideSpec: JsonObject) {
      const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode: 'Automatic' } }), {
        stored: kept,
      })
      run.rest()
      expect(run.reasonOf('Promoted')).to.equal('Promoted')
      run.say('undo')
      expect(writesOf(run).filter((write) => write === 'patch source')).to.have.length(1)
      return run
    }
    const NOT_STORED = 'deployment/cart was restored, but the API server did not store this: minReadySeconds'

    it('is written once, and says so, also if nothing of it is stored', () => {
      for (const others of [{}, imageOverride('example/cart:2')]) {
        const run = undone({ minReadySeconds: 5, ...others })
        expect([run.reasonOf('Ready'), run.messageOf()]).to.deep.equal(['ChangeNotStored', NOT_STORED])
      }
    })

    it('goes on when somebody gives the source these values', () => {
      const run = undone({ minReadySeconds: 5 })
      run.world.source = aSource()
      run.rest()
      expect(run.strategy()?.phase).to.equal('Undone')
    })

    it('N11: ends where somebody promotes by hand meanwhile', () => {
      const run = promoted()
      run.say('undo')
      while (!promotionIn(run)?.restored) run.pass()
      run.world.source = aSource(10, 'example/cart:2')
      expect(writesOf(run)).to.not.include('patch source')
      expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Aborted', 'example/cart:2'])
    })
  })
})
