import { expect } from 'chai'
import type { PromotionSpec } from '../../../common/api/strategy.ts'
import { aPolicy, FORK, imageOverride, NO_POLICIES } from '../../builders.ts'
import { aRun, aRunExperiment, aSource, type RunOf, type RunWorld, START } from '../plan/some-run.ts'
import { imageIn } from './promotions.ts'

const CREATED = { creationTimestamp: START.toISOString() }

/** A run at its first pause, with one pod beside ten, that has not written anything. */
function aFreeRun(of: RunOf = {}, given: Parameters<typeof aRun>[1] = {}): RunWorld {
  const run = aRun(aRunExperiment({ metadata: CREATED, ...of }), given)
  run.rest()
  expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  return run
}

/** A Service of ten pods of the source and one of the fork. */
const PODS = [...Array.from({ length: 10 }, (_, index) => `cart-${index}`), `${FORK}-7d9f-1`]
const TRAFFIC = {
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [{ service: 'cart', ready: PODS.map((pod) => ({ address: pod, pod })) }],
}

const deleted = { deletionTimestamp: '2026-11-21T10:05:00Z' }

describe('what happens to a run that has written nothing', () => {
  const edits: Readonly<Record<string, RunOf>> = {
    override: { overrideSpec: imageOverride('example/cart:3') },
    type: { overrideType: 'Strategic' },
    promotion: { promotion: { mode: 'Export' } satisfies PromotionSpec },
  }
  for (const [what, edit] of Object.entries(edits))
    it(`spec of the run edited (${what}): a new run, at step 0`, () => {
      const run = aFreeRun()
      run.wait(3_600)
      run.rest()
      const before = run.strategy()
      expect(before?.stepIndex).to.equal(3)
      run.edit(edit)
      run.pass()
      expect(run.strategy()?.run).to.not.equal(before?.run)
      expect(run.strategy()).to.deep.include({ path: 'Forward', stepIndex: 0 })
      run.rest()
      expect(run.pods()).to.equal(1)
    })

  it('spec of the run edited after an abort: a new run', () => {
    const run = aFreeRun()
    run.say('abort')
    run.rest()
    expect(run.step()).to.equal('1/1 Aborted')
    run.edit({ overrideSpec: imageOverride('example/cart:3') })
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  })

  it('base changes, with Follow: the fork is derived again, the clock of the step begins anew', () => {
    const run = aFreeRun()
    const before = run.strategy()
    run.wait(3_000)
    run.world.source = aSource(10, 'example/cart:1', { template: aTemplate() })
    run.rest()
    expect(run.strategy()?.revision).to.not.equal(before?.revision)
    expect(run.strategy()).to.deep.include({ run: before?.run, stepIndex: 1, since: run.world.now.toISOString() })
  })

  it('base changes, with Follow: a word about the former revision is stale', () => {
    const run = aFreeRun()
    run.say('resume')
    run.world.source = aSource(10, 'example/cart:1', { template: aTemplate() })
    run.rest()
    expect(run.strategy()).to.deep.include({ stepIndex: 1 })
    expect(run.strategy()?.command?.answer).to.equal('Stale')
  })

  it('base changes, with Pin: nothing', () => {
    const run = aFreeRun({ onSourceChange: 'Pin' })
    const before = run.strategy()
    run.wait(60)
    run.world.source = aSource(10, 'example/cart:1', { template: aTemplate() })
    run.rest()
    expect(run.strategy()).to.deep.equal(before)
  })

  it('kubectl scale: spec.replicas changes, and the weight still decides', () => {
    const run = aFreeRun()
    const before = run.strategy()
    run.edit({ replicas: 8 })
    run.rest()
    expect([run.strategy(), run.pods()]).to.deep.equal([before, 1])
  })

  it('kubectl scale: spec.replicas decides where there is no weight', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: {} }))
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/4 Paused', 1])
    run.edit({ replicas: 8 })
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/4 Paused', 8])
  })

  it('TTL over: the run is aborted, and the experiment says Expired', () => {
    const run = aFreeRun({ ttlSeconds: 600 })
    run.wait(601)
    run.rest()
    expect([run.pods(), run.reasonOf('Ready'), run.strategy()?.path]).to.deep.equal([undefined, 'Expired', 'Abort'])
  })

  it('TTL over: a higher one does not go on where the run was', () => {
    const run = aFreeRun({ ttlSeconds: 600 })
    run.wait(601)
    run.rest()
    run.edit({ ttlSeconds: 6_000 })
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('Stalled')]).to.deep.equal(['1/1 Aborted', 0, 'Aborted'])
  })

  it('TTL over, once the source has the change by other hands: after the end', () => {
    const run = aRun(aRunExperiment({ metadata: CREATED, ttlSeconds: 10, strategy: undefined, promotion: {} }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    run.wait(11)
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['3/4 Progressing', 2])
    run.wait(20)
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('Promoted')]).to.deep.equal(['4/4 Promoted', undefined, 'Promoted'])
  })

  it('TTL over, after the promotion: the run stays promoted', () => {
    const promotion = { mode: 'Automatic' } as const
    const run = aRun(aRunExperiment({ metadata: CREATED, ttlSeconds: 600, strategy: undefined, promotion }))
    run.rest()
    run.wait(30)
    run.rest()
    expect([run.step(), run.reasonOf('Ready')]).to.deep.equal(['3/3 Promoted', 'Promoted'])
    run.wait(600)
    run.rest()
    expect([run.step(), run.reasonOf('Ready'), run.reasonOf('Promoted')]).to.deep.equal([
      '3/3 Promoted',
      'Expired',
      'Promoted',
    ])
  })

  it('TTL over, after the promotion: undo still restores the source, at once', () => {
    const promotion = { mode: 'Automatic' } as const
    const run = aRun(aRunExperiment({ metadata: CREATED, ttlSeconds: 600, strategy: undefined, promotion }))
    run.rest()
    run.wait(630)
    run.rest()
    expect([run.reasonOf('Ready'), imageIn(run)]).to.deep.equal(['Expired', 'example/cart:2'])
    expect(run.messageOf()).to.equal('expired 10m after creation (2026-11-21T10:10Z); its source keeps the change')
    run.say('undo')
    run.rest()
    expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Undone', 'example/cart:1'])
    expect(run.strategy()?.command).to.include({ verb: 'undo', answer: 'Done' })
  })

  it('TTL over, while an export waits: the run is aborted', () => {
    const promotion = { mode: 'Export' } as const
    const run = aRun(aRunExperiment({ metadata: CREATED, ttlSeconds: 10, strategy: undefined, promotion }))
    run.rest()
    expect(run.reasonOf('Paused')).to.equal('AwaitingSource')
    run.wait(11)
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/1 Aborted', undefined])
  })

  it('deleted: the fork goes along', () => {
    const run = aFreeRun()
    const { experiment } = run.world
    run.world.experiment = { ...experiment, metadata: { ...experiment.metadata, ...deleted } }
    const { writes, conclusion } = run.pass()
    expect(writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(['patch fork'])
    expect([conclusion.reason, conclusion.run]).to.deep.equal(['Terminating', undefined])
  })

  it('fork deleted: it is made anew, at the same step', () => {
    const run = aFreeRun()
    run.world.fork = undefined
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  })

  it('source deleted: the run waits, with its fork', () => {
    const run = aFreeRun()
    run.world.source = undefined
    run.wait(3_600)
    run.rest()
    expect([run.step(), run.pods(), run.reasonOf('SourceResolved')]).to.deep.equal(['1/7 Paused', 1, 'SourceNotFound'])
  })

  it('source deleted: an abort works', () => {
    const run = aFreeRun()
    run.world.source = undefined
    run.sayUnstamped('abort')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/1 Aborted', 0])
  })

  for (const [limit, policy] of Object.entries({
    maxReplicas: { maxReplicas: 2 },
    maxShare: { maxShare: '15%' },
  }))
    it(`a policy forbids (${limit}): the step is not entered, the steps before it are`, () => {
      const run = aFreeRun({}, { policies: { ...NO_POLICIES, policies: [aPolicy(policy)] }, traffic: TRAFFIC })
      run.wait(3_600)
      run.rest()
      expect([run.step(), run.pods(), run.reasonOf('Stalled')]).to.deep.equal(['2/7 Progressing', 1, 'PolicyDenied'])
    })

  it('the override has a mistake: an abort works, and an edit begins a new run', () => {
    const run = aFreeRun()
    run.edit({ overrideSpec: { replicas: 3 } })
    run.rest()
    run.sayUnstamped('abort')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/1 Aborted', 0])
    run.edit({ overrideSpec: imageOverride('example/cart:3') })
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  })

  it('a policy forbids: an abort works', () => {
    const run = aFreeRun()
    run.world.policies = { ...NO_POLICIES, policies: [aPolicy({ maxReplicas: 0 })] }
    run.sayUnstamped('abort')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/1 Aborted', 0])
  })

  it('webhook down: abort and pause work without its stamp', () => {
    const run = aFreeRun()
    run.sayUnstamped('pause')
    run.wait(7_200)
    run.rest()
    expect([run.step(), run.reasonOf('Paused')]).to.deep.equal(['1/7 Paused', 'PausedByCommand'])
    run.sayUnstamped('abort')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['1/1 Aborted', 0])
  })
})

/** A pod template with another grace period. */
const aTemplate = () => ({
  metadata: { labels: { app: 'cart' } },
  spec: { containers: [{ name: 'cart', image: 'example/cart:1' }], terminationGracePeriodSeconds: 7 },
})
