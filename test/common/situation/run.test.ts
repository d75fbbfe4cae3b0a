import { expect } from 'chai'
import type { StrategyRunStatus } from '../../../common/api/strategy.ts'
import { promotionIn, sizesOf } from '../../../common/situation/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { demandsOf, isPromoted, isWriting, runState, wantedReplicas } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, CANARY } from '../plan/some-run.ts'

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
