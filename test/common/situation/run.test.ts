import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import { previewSize, promotionIn, sizesOf } from '../../../common/situation/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { aDeployment, aFork, anExperiment } from '../../builders.ts'
import { demandsOf, isPromoted, isWriting, runState, wantedReplicas } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, CANARY } from '../plan/some-run.ts'
import { aBlueGreen } from '../run/blue-greens.ts'

/** The facts of a run of `CANARY` whose stored status is changed by `of`. */
function at(
  of: Partial<StrategyRunStatus> & { readonly promotion?: { readonly record?: { name: string; hash: string } } },
) {
  const run = aRun()
  run.pass()
  const stored = run.strategy()
  if (!stored) throw new Error('there is no run')
  const { promotion, ...changed } = of
  const { experiment } = run.world
  const status = {
    ...experiment.status,
    strategy: { ...stored, ...changed },
    ...(promotion ? { promotion: { mode: 'Manual' as const, ...promotion } } : {}),
  }
  return { ...run.facts(), experiment: { ...experiment, status } }
}
const RECORD = { name: 'cart-promotion', hash: 'abc' }

describe('the pods that a fork shall have', () => {
  it('are spec.replicas without a run', () =>
    expect(wantedReplicas(someFacts({ experiment: anExperiment({ replicas: 4 }) }))).to.equal(4))

  const steps: readonly (readonly [Partial<StrategyRunStatus>, pods: number])[] = [
    [{ stepIndex: 0 }, 1],
    [{ stepIndex: 1 }, 1],
    [{ stepIndex: 2 }, 3],
    [{ stepIndex: 4 }, 3],
    [{ path: 'Abort', stepIndex: 0 }, 0],
    [{ path: 'Abort', stepIndex: 1 }, 0],
    [{ path: 'Undo', stepIndex: 1 }, 0],
  ]
  for (const [of, pods] of steps)
    it(`are ${pods} at ${JSON.stringify(of)}`, () => expect(wantedReplicas(at(of))).to.equal(pods))

  it('are at least those that a promotion needs while the source is restored', () =>
    expect(wantedReplicas(at({ path: 'Undo', stepIndex: 0 }))).to.equal(2))

  it('stay as they are while the source is gone, and are none after the way back', () => {
    const gone = { source: { is: 'absent' } as const }
    expect(wantedReplicas({ ...at({ stepIndex: 2 }), ...gone })).to.equal(1)
    expect(wantedReplicas({ ...at({ path: 'Abort', stepIndex: 0 }), ...gone })).to.equal(0)
    const noFork = { fork: { is: 'absent' } as const }
    expect(wantedReplicas({ ...at({ path: 'Undo', stepIndex: 0 }), ...gone, ...noFork })).to.equal(0)
  })
})

describe('the state of a run', () => {
  it('is undefined without strategy and promotion', () => expect(runState(someFacts(), undefined)).to.equal(undefined))

  it('begins at step 0, and keeps its revision while the fork is not known', () => {
    const facts = someFacts({ experiment: aRunExperiment(), source: aSource() })
    expect(runState(facts, undefined)?.run).to.deep.include({ stepIndex: 0, path: 'Forward', revision: '' })
    expect(runState(at({ stepIndex: 2, revision: 'kept' }), undefined)?.run).to.deep.include({
      stepIndex: 2,
      revision: 'kept',
    })
  })

  it('is another run after an edit of what it does, and the same one after an approval', () => {
    const idOf = (of: Parameters<typeof aRunExperiment>[0]) =>
      runState(someFacts({ experiment: aRunExperiment(of), source: aSource() }), undefined)?.run.run
    const promotion = { mode: 'Manual' } as const
    const before = idOf({ promotion })
    expect(idOf({ promotion: { ...promotion, approvedRevision: 'abc' } })).to.equal(before)
    expect(idOf({ promotion, replicas: 7, ttlSeconds: 90 })).to.equal(before)
    const others = [
      idOf({ promotion: { mode: 'Export' } }),
      idOf({ promotion, overrideSpec: { minReadySeconds: 3 } }),
      idOf({ promotion, overrideType: 'Strategic' }),
      idOf({ promotion, strategy: { canary: {} } }),
    ]
    expect(new Set([before, ...others]).size).to.equal(5)
  })
})

describe('the sizes of a run', () => {
  const spec = strategyRunSpec({
    ...aRunExperiment().spec,
    strategy: { canary: { ...CANARY.canary, maxUnavailable: 1 } },
  })
  if (!spec) throw new Error('there is no run')

  it('are those of the source, and what its own rollout takes down beyond maxUnavailable', () => {
    const strategy = { rollingUpdate: { maxUnavailable: 4 } }
    const facts = someFacts({ experiment: aRunExperiment(), source: aSource(10, 'example/cart:1', { strategy }) })
    expect(sizesOf(facts, spec)).to.deep.equal({
      source: 10,
      preview: 10,
      replicas: 1,
      maxSurge: '100%',
      reserve: 3,
      isGated: false,
    })
  })

  it('have the reserve for the rollout of the source as it is after the promotion, too', () => {
    const recreated = aRunExperiment({ overrideSpec: { strategy: { type: 'Recreate' } }, overrideType: 'Strategic' })
    const facts = someFacts({ experiment: recreated, source: aSource(10) })
    expect(sizesOf(facts, spec)?.reserve).to.equal(9)
    const rolling = aRunExperiment({ overrideSpec: { strategy: { type: 'RollingUpdate' } }, overrideType: 'Strategic' })
    const source = aSource(10, 'example/cart:1', { strategy: { type: 'Recreate' } })
    expect(sizesOf(someFacts({ experiment: rolling, source }), spec)?.reserve).to.equal(9)
  })

  it('are not known while there is no source, or while it is being deleted', () => {
    const metadata = { deletionTimestamp: '2026-11-21T10:00:00Z' }
    for (const source of [undefined, aDeployment({ metadata })])
      expect(sizesOf(someFacts({ source }), spec)).to.equal(undefined)
  })
})

describe('the demands of a run', () => {
  it('are the pods of each step, where the user asks for them', () => {
    const facts = someFacts({ experiment: aRunExperiment(), source: aSource() })
    expect(demandsOf(facts)).to.deep.equal([
      { field: 'spec.strategy.canary.steps[0].setWeight', pods: 1, open: 1 },
      { field: 'spec.strategy.canary.steps[2].setWeight', pods: 3, open: 3 },
    ])
    expect(demandsOf({ ...facts, source: { is: 'absent' } })).to.deep.equal([])
    expect(demandsOf(someFacts())).to.equal(undefined)
  })
})

describe('a run that may have written the source', () => {
  const promotion = { record: RECORD }

  it('is known by its record, until it ends', () => {
    expect(isWriting(at({ stepIndex: 5 }))).to.equal(false)
    expect(isWriting(at({ stepIndex: 5, promotion }))).to.equal(true)
    expect(isWriting(at({ path: 'Undo', stepIndex: 0, promotion }))).to.equal(true)
    expect(isWriting(at({ stepIndex: 7, promotion }))).to.equal(false)
    expect(isWriting(at({ path: 'Abort', stepIndex: 0, promotion }))).to.equal(false)
  })

  it('is promoted only at the end of its way forward', () => {
    expect(isPromoted(at({ stepIndex: 7 }))).to.equal(true)
    expect(isPromoted(at({ stepIndex: 6 }))).to.equal(false)
    expect(isPromoted(at({ path: 'Undo', stepIndex: 2 }))).to.equal(false)
    expect(isPromoted(someFacts({ experiment: aRunExperiment() }))).to.equal(false)
  })

  it('has no promotion of another run', () => {
    const { experiment } = at({ stepIndex: 5, promotion })
    const state = runState(at({ stepIndex: 5 }), undefined)
    if (!state) throw new Error('there is no run')
    expect(promotionIn(experiment, state.run)?.record).to.equal(RECORD)
    expect(promotionIn(experiment, { ...state.run, run: 'another' })).to.equal(undefined)
    expect(isWriting(at({ run: 'another', stepIndex: 5, promotion }))).to.equal(false)
  })
})

const hpa = (isOnCpu = true) => ({
  ...NO_NEIGHBOURS,
  autoscalers: [{ name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 9, isOnCpu }],
})
const sourceOf = (replicas: number) => aDeployment({ spec: { replicas } })

describe('the pods of a preview without a number of its own', () => {
  const facts = (neighbours = NO_NEIGHBOURS) => someFacts({ neighbours })

  it('are as many as those of the source', () => {
    for (const size of [0, 1, 4, 10, 25])
      expect(previewSize(facts(), sourceOf(size), aFork()), String(size)).to.equal(size)
  })

  it('are a tenth of them, and at least one, while an HPA on CPU counts them', () => {
    const sizes = [0, 1, 4, 10, 19, 20, 50].map((size) => previewSize(facts(hpa()), sourceOf(size), aFork()))
    expect(sizes).to.deep.equal([0, 1, 1, 1, 1, 2, 5])
  })

  it('are not fewer beside an HPA on memory, and where the HPA does not count them', () => {
    expect(previewSize(facts(hpa(false)), sourceOf(20), aFork())).to.equal(20)
    const apart = aFork(aDeployment(), { labels: { app: 'other' } })
    expect(previewSize(facts(hpa()), sourceOf(20), apart)).to.equal(20)
  })

  it('are those of the present fork while the autoscalers are not known, and a tenth before there is one', () => {
    const unread = (fork: Parameters<typeof someFacts>[0]) => ({
      ...someFacts(fork),
      surroundings: { ...someFacts().surroundings, neighbours: unknown('the API server does not answer') },
    })
    const having = (replicas: number) => ({ ...aFork(), spec: { replicas } })
    const kept = [0, 1, 7, 20, 30].map((pods) => previewSize(unread({ fork: having(pods) }), sourceOf(20)))
    expect(kept).to.deep.equal([2, 2, 7, 20, 20])
    expect(previewSize({ ...unread({}), fork: ABSENT }, sourceOf(20))).to.equal(2)
    expect(previewSize({ ...unread({}), fork: known(having(20)) }, sourceOf(10))).to.equal(10)
  })
})

describe('a blue-green without previewReplicaCount whose source has an HPA on CPU', () => {
  const previewing = () => {
    const run = aBlueGreen({ previewService: 'cart-preview' })
    run.world.neighbours = hpa()
    run.rest()
    return run
  }

  it('previews with a tenth of its source, and has all of its pods for the cut-over', () => {
    const run = previewing()
    expect([run.step(), run.pods()]).to.deep.equal(['2/10 Paused', 1])
    run.say('resume')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['5/10 Paused', 10])
  })

  it('has all of its pods when the HPA is gone, and keeps them while that is not known', () => {
    const run = previewing()
    run.world.neighbours = NO_NEIGHBOURS
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['2/10 Paused', 10])
    run.world.neighbours = undefined
    expect(run.rest()).to.deep.equal([])
    expect(run.pods()).to.equal(10)
  })
})
