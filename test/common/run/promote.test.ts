import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { PromotionSpec } from '../../../common/api/strategy.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { imageOverride, NO_POLICIES } from '../../builders.ts'
import { aRun, aRunExperiment, aSource } from '../plan/some-run.ts'
import { aPolicy } from '../policy/policy-input.ts'
import { aCutOver, PREVIEWED } from './blue-greens.ts'
import { imageIn, promotionIn, writesOf } from './promotions.ts'

const atPromotion = (promotion: PromotionSpec = { mode: 'Automatic' }, given: Parameters<typeof aRun>[1] = {}) => {
  const strategy = { canary: { steps: [{ setWeight: 20 }] } }
  return aRun(aRunExperiment({ strategy, promotion }), given)
}
describe('a promotion', () => {
  it('stores the hash of the record, and then the record, before the one write of the source', () => {
    const run = atPromotion()
    expect(writesOf(run)).to.deep.equal(['apply newFork', 'patch experiment', 'create record', 'patch source'])
    expect(imageIn(run)).to.equal('example/cart:2')
    expect(promotionIn(run)?.written).to.deep.include({ uid: run.world.source?.metadata.uid, generation: 2 })
    run.wait(30)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Promoted')
    expect(run.world.fork).to.equal(undefined)
  })

  it('tells the patch to commit of what it has written, until that is undone', () => {
    const run = atPromotion()
    run.rest()
    expect(promotionIn(run)?.patch).to.contain('example/cart:2')
    run.wait(30)
    run.rest()
    expect(promotionIn(run)?.patch).to.contain('example/cart:2')
    run.say('undo')
    run.rest()
    expect(imageIn(run)).to.equal('example/cart:1')
    expect(promotionIn(run)).not.to.have.property('patch')
  })

  it('writes with the uid and the resourceVersion that it has read', () => {
    const run = atPromotion()
    for (let passes = 0; passes < 20; passes += 1) {
      const { writes } = run.pass()
      const found = writes.find(({ role }) => role === 'source')
      if (found?.verb !== 'patch') continue
      expect(found.patch.metadata).to.deep.equal({ uid: run.world.source?.metadata.uid, resourceVersion: '20' })
      return
    }
    expect.fail('the source is written')
  })

  it('makes another record in place of one that somebody replaced', () => {
    const run = atPromotion()
    while (!run.world.record) run.pass()
    run.world.record = { ...run.world.record, data: { forward: {}, inverse: { paused: true } } }
    expect(writesOf(run)).to.deep.equal(['delete record', 'create record', 'patch source'])
  })

  it('writes nothing a second time after its reply was lost', () => {
    const run = atPromotion()
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { written: _lost, ...others } = promotionIn(run) ?? { mode: 'Automatic' as const }
    run.world.experiment = {
      ...run.world.experiment,
      status: { ...run.world.experiment.status, promotion: others },
    }
    expect(writesOf(run)).to.deep.equal([])
    expect(promotionIn(run)?.written).to.not.equal(undefined)
  })

  it('brings as many pods of the fork as the rollout of the source takes down, first', () => {
    const run = atPromotion(
      { mode: 'Automatic' },
      { source: aSource(4, 'example/cart:1', { strategy: { type: 'Recreate' } }) },
    )
    run.rest()
    expect(run.pods()).to.equal(4)
  })

  it('does not write what a policy forbids, and goes on when it is allowed', () => {
    const policies = { ...NO_POLICIES, policies: [aPolicy({ promotionModes: ['Manual'] })] }
    const run = atPromotion({ mode: 'Automatic' }, { policies })
    expect(writesOf(run)).to.deep.equal(['apply newFork'])
    expect(run.reasonOf('Ready')).to.equal('PolicyDenied')
    expect(run.messageOf()).to.contain('spec.promotion.mode: Automatic is not allowed')
    run.world.policies = NO_POLICIES
    expect(writesOf(run)).to.include('patch source')
  })

  it('does not write content that a policy forbids since the fork was made, and goes on when the source has it', () => {
    const forbidden = { ...NO_POLICIES, policies: [aPolicy({ allowedImages: ['other/**'] })] }
    const run = atPromotion()
    while (run.strategy()?.stepName !== 'promote') run.pass()
    run.world.policies = forbidden
    expect(writesOf(run)).to.deep.equal([])
    expect([run.reasonOf('Ready'), imageIn(run)]).to.deep.equal(['PolicyDenied', 'example/cart:1'])
    expect(run.messageOf()).to.contain('example/cart:2')
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    run.wait(30)
    run.rest()
    expect(run.strategy()?.phase).to.equal('Promoted')
  })

  const unanalyzed = { ...NO_POLICIES, policies: [aPolicy({ requireAnalysis: true })] }
  /** Others make the change. The run then goes on to its end. */
  const goesOn = (run: ReturnType<typeof atPromotion>, others: JsonObject = {}) => {
    run.world.source = aSource(10, 'example/cart:2', others)
    run.rest()
    run.wait(30)
    run.rest()
    expect([run.strategy()?.phase, run.world.fork]).to.deep.equal(['Promoted', undefined])
  }

  it('Export: shows the patch, and goes on when the source has it, also if a policy forbids the content now', () => {
    const run = atPromotion({ mode: 'Export' })
    run.rest()
    run.world.policies = unanalyzed
    run.rest()
    expect([run.reasonOf('Paused'), run.reasonOf('PolicyCompliant')]).to.deep.equal([
      'AwaitingSource',
      'PolicyViolated',
    ])
    expect(promotionIn(run)?.patch).to.contain('example/cart:2')
    goesOn(run)
  })

  it('Export: goes on then, too, if the source has other changes as well, which the fork may not get', () => {
    const run = atPromotion({ mode: 'Export' })
    run.rest()
    run.world.policies = unanalyzed
    goesOn(run, { minReadySeconds: 5 })
  })

  it('goes on when others make the change, also if a policy forbids the content now', () => {
    const run = atPromotion({ mode: 'Manual' })
    run.rest()
    run.world.policies = unanalyzed
    run.say('promote')
    run.rest()
    expect([run.strategy()?.stepName, run.reasonOf('Ready')]).to.deep.equal(['promote', 'PolicyDenied'])
    goesOn(run)
  })

  it('writes content that a policy forbids since a Service sends only to the fork', () => {
    const run = aCutOver({ ...PREVIEWED, scaleDownDelaySeconds: 60 }, { promotion: { mode: 'Automatic' } })
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ allowedImages: ['other/**'] })] }
    run.wait(61)
    expect(writesOf(run)).to.include('patch source')
  })

  it('writes although a policy forbids its time to live', () => {
    const run = atPromotion()
    while (run.strategy()?.stepName !== 'promote') run.pass()
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ maxTTLSeconds: 60 })] }
    expect(writesOf(run)).to.include('patch source')
  })

  it('Export: writes the patch to the status, and goes on when the source has it', () => {
    const run = atPromotion({ mode: 'Export' })
    expect(writesOf(run)).to.deep.equal(['apply newFork'])
    expect(run.reasonOf('Paused')).to.equal('AwaitingSource')
    expect(promotionIn(run)?.patch).to.contain('example/cart:2')
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    expect(promotionIn(run)?.written).to.not.equal(undefined)
    run.say('undo')
    run.rest()
    expect(run.strategy()?.command?.answer).to.equal('Refused')
  })

  it('is an Export without the component, and where somebody declares the source, unless it is forced', () => {
    const without = atPromotion({ mode: 'Automatic' }, { isPromotionInstalled: false })
    without.rest()
    expect(promotionIn(without)).to.deep.include({ mode: 'Export' })
    const source = aSource()
    const marked = { ...source, metadata: { ...source.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } }
    const declared = atPromotion({ mode: 'Automatic' }, { source: marked })
    declared.rest()
    expect(promotionIn(declared)).to.deep.include({ mode: 'Export', declaredBy: 'Helm' })
    const forced = atPromotion({ mode: 'Automatic', force: true }, { source: marked })
    expect(writesOf(forced)).to.include('patch source')
  })

  const withoutDeadline = (source: KubeObject): KubeObject => {
    const { progressDeadlineSeconds: _dropped, ...spec } = objectOr(source.spec) as JsonObject
    return { ...source, spec }
  }
  const overrideSpec = { ...imageOverride('example/cart:2'), progressDeadlineSeconds: 50 }

  it('writes once what the API server does not store as a whole, says so, and undoes it', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode: 'Automatic' } }), {
      stored: withoutDeadline,
    })
    expect(writesOf(run).filter((write) => write === 'patch source')).to.have.length(1)
    expect([run.reasonOf('Ready'), run.reasonOf('Promoted')]).to.deep.equal(['ChangeNotStored', undefined])
    expect(run.messageOf()).to.equal(
      'deployment/cart was written, but the API server did not store this: progressDeadlineSeconds',
    )
    run.say('undo')
    expect(writesOf(run).filter((write) => write === 'patch source')).to.have.length(1)
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('keeps the former values in the record when another person promotes that again', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode: 'Automatic' } }), {
      stored: withoutDeadline,
    })
    run.rest()
    for (const verb of ['promote', 'undo']) {
      run.say(verb, 'bob')
      run.rest()
    }
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('keeps the former values in the record when the reply of such a write was lost', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, overrideSpec, promotion: { mode: 'Automatic' } }), {
      stored: withoutDeadline,
    })
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { written: _lost, ...others } = promotionIn(run) ?? { mode: 'Automatic' as const }
    run.world.experiment = { ...run.world.experiment, status: { ...run.world.experiment.status, promotion: others } }
    expect(writesOf(run)).to.deep.equal(['patch source'])
    run.say('undo')
    run.rest()
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('says that the change was taken back, keeps the fork, and writes it again when somebody says so', () => {
    const run = atPromotion()
    while (imageIn(run) !== 'example/cart:2') run.pass()
    const { source } = run.world
    if (source) run.world.source = { ...source, status: { observedGeneration: 0 } }
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('Promoting')
    run.world.source = aSource()
    run.rest()
    expect(run.reasonOf('Ready')).to.equal('SourceReverted')
    expect(run.pods()).to.be.greaterThan(0)
    run.say('promote')
    expect(writesOf(run)).to.include('patch source')
  })
})
