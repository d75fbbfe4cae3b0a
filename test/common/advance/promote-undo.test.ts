import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import { anExperiment, imageOverride, NO_POLICIES } from '../../builders.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld } from '../plan/some-run.ts'
import { available } from '../plan/some-world.ts'
import { aPolicy } from '../policy/policy-input.ts'
import { imageIn, messageOf, promotionIn, writesOf } from './promotions.ts'

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

  it('leaves a source alone that somebody has changed since', () => {
    const run = promoted()
    run.world.source = aSource(10, 'example/cart:3')
    run.say('undo')
    expect(writesOf(run)).to.deep.equal([])
    expect(run.reasonOf('Ready')).to.equal('SourceDrifted')
    expect(messageOf(run)).to.contain('so it stays as it is; change the source by hand')
    expect(imageIn(run)).to.equal('example/cart:3')
  })

  describe('where somebody has changed the source since', () => {
    const sourceWith = (cart: string, sidecar: string, replicas = 10) => {
      const containers = [
        { name: 'cart', image: cart },
        { name: 'sidecar', image: sidecar },
      ]
      return aSource(replicas, 'any', { template: { spec: { containers } } })
    }

    /** A run that has written the image of `cart`, and not seen yet that the source has it. */
    function written() {
      const experiment = aRunExperiment({ overrideType: 'Strategic', promotion: { mode: 'Manual' } })
      const run = aRun(experiment, { source: sourceWith('example/cart:1', 'sidecar:1') })
      run.rest()
      run.say('promote')
      while (!promotionIn(run)?.written) run.pass()
      return run
    }

    /** The undo after `changed` came while the source replaced its pods. */
    function undone(run: RunWorld, changed: KubeObject) {
      const generation = (run.world.source?.metadata.generation ?? 0) + 1
      run.world.source = { ...changed, metadata: { ...changed.metadata, generation }, status: {} }
      run.rest()
      expect(run.reasonOf('Ready')).to.equal('Promoting')
      run.world.source = available(run.world.source)
      run.rest()
      run.say('undo')
      return writesOf(run)
    }

    it('leaves it alone, because a list is restored as a whole', () => {
      const run = written()
      expect(undone(run, sourceWith('example/cart:2', 'sidecar:2'))).to.not.include('patch source')
      expect([run.reasonOf('Ready'), messageOf(run)]).to.deep.equal([
        'SourceDrifted',
        'deployment/cart was changed after the promotion, so it stays as it is; change the source by hand',
      ])
    })

    it('restores what it wrote, if the change is about something else', () => {
      const run = written()
      expect(undone(run, sourceWith('example/cart:2', 'sidecar:1', 7))).to.include('patch source')
      expect([imageIn(run), run.world.source && replicasOf(run.world.source)]).to.deep.equal(['example/cart:1', 7])
    })

    it('leaves it alone, also after the reply to the write was lost', () => {
      const run = written()
      const { written: _lost, ...others } = promotionIn(run) ?? { mode: 'Manual' as const }
      run.world.experiment = { ...run.world.experiment, status: { ...run.world.experiment.status, promotion: others } }
      expect(undone(run, sourceWith('example/cart:2', 'sidecar:2'))).to.not.include('patch source')
      expect(run.reasonOf('Ready')).to.equal('SourceDrifted')
    })
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

  it('uses no record that somebody replaced', () => {
    const run = promoted()
    if (run.world.record) run.world.record = { ...run.world.record, data: { forward: {}, inverse: { paused: true } } }
    run.say('undo')
    expect(writesOf(run)).to.deep.equal([])
    expect(messageOf(run)).to.contain('the record of the former values is gone')
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
        expect([run.reasonOf('Ready'), messageOf(run)]).to.deep.equal(['ChangeNotStored', NOT_STORED])
      }
    })

    it('goes on when somebody gives the source these values', () => {
      const run = undone({ minReadySeconds: 5 })
      run.world.source = aSource()
      run.rest()
      expect(run.strategy()?.phase).to.equal('Undone')
    })

    it('is not repeated against somebody who promotes by hand', () => {
      const run = promoted()
      run.say('undo')
      while (!promotionIn(run)?.restored) run.pass()
      run.world.source = aSource(10, 'example/cart:2')
      expect(writesOf(run)).to.not.include('patch source')
      expect([run.reasonOf('Ready'), messageOf(run)]).to.deep.equal([
        'SourceDrifted',
        'deployment/cart was changed after it was restored, so it stays as it is; change the source by hand',
      ])
    })
  })
})
