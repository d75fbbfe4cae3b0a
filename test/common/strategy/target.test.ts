import { expect } from 'chai'
import type { RunStep } from '../../../common/strategy/compile.ts'
import { podTargetAt, type Sizes, surgeLimit } from '../../../common/strategy/target.ts'

const TEN: Sizes = { source: 10, preview: 10, replicas: 2, maxSurge: '100%', reserve: 0, isGated: false }
const setWeight = (weight: number): RunStep => ({ is: 'setWeight', weight, field: 'f' })
const PAUSE: RunStep = { is: 'pause' }
const [AWAIT, PROMOTE]: readonly [RunStep, RunStep] = [{ is: 'await' }, { is: 'promote' }]
const DRAIN: RunStep = { is: 'drain', seconds: 30 }

/** The target of the last of the steps. */
const last = (steps: readonly RunStep[], sizes: Partial<Sizes> = {}) =>
  podTargetAt(steps, steps.length - 1, { ...TEN, ...sizes })

describe('the target of a step', () => {
  it('setWeight: the pods of the weight', () =>
    expect(last([setWeight(20)])).to.deep.equal({ pods: 3, open: 3, weight: 20 }))

  it('setWeight 0: no pods', () =>
    expect(last([setWeight(5), setWeight(0)])).to.deep.equal({ pods: 0, open: 0, weight: 0 }))

  it('setWeight beyond maxSurge: as many as that allows, and what the weight needs', () =>
    expect(last([setWeight(80)])).to.deep.equal({ pods: 10, open: 10, weight: 80, needed: 40 }))

  it('E follows S', () => {
    const found = [0, 1, 10, 50].map((source) => last([setWeight(20)], { source }).pods)
    expect(found).to.deep.equal([0, 1, 3, 13])
  })

  it('maxSurge: as many as that allows, at least one', () => {
    const surge: readonly RunStep[] = [{ is: 'surge' }]
    const found = (['100%', '25%', 4, 0, '0%'] as const).map((maxSurge) => last(surge, { maxSurge }).pods)
    expect(found).to.deep.equal([10, 3, 4, 1, 1])
    expect(last(surge, { source: 0 })).to.deep.equal({ pods: 1, open: 1 })
  })

  it('replicas: spec.replicas, whatever maxSurge says', () =>
    expect(last([{ is: 'replicas' }], { replicas: 40 })).to.deep.equal({ pods: 40, open: 40 }))

  it('remove: no pods, also after a restore', () => {
    expect(last([{ is: 'remove' }])).to.deep.equal({ pods: 0, open: 0 })
    expect(last([{ is: 'restore' }, { is: 'remove' }])).to.deep.equal({ pods: 0, open: 0 })
  })

  it('pause, await: what was', () =>
    expect(last([setWeight(50), setWeight(20), PAUSE, AWAIT])).to.deep.equal({ pods: 3, open: 3, weight: 20 }))

  it('pause before any weight: spec.replicas', () => expect(last([PAUSE])).to.deep.equal({ pods: 2, open: 2 }))

  it('promote: what was, or the reserve if that is more', () => {
    expect(last([setWeight(20), PROMOTE], { reserve: 2 })).to.deep.equal({ pods: 3, open: 3 })
    expect(last([setWeight(20), PROMOTE], { reserve: 5 })).to.deep.equal({ pods: 5, open: 5 })
  })

  it('promote: no reserve beyond maxSurge', () =>
    expect(last([setWeight(20), PROMOTE], { reserve: 10, maxSurge: '40%' })).to.deep.equal({ pods: 4, open: 4 }))

  it('drain: what was', () =>
    expect(last([setWeight(20), PROMOTE, DRAIN], { reserve: 5 })).to.deep.equal({ pods: 5, open: 5 }))

  it('of the first step is not that of a later one', () =>
    expect(podTargetAt([setWeight(20), setWeight(50)], 0, TEN).pods).to.equal(3))

  it('of a run that is over: what was', () => expect(podTargetAt([setWeight(20)], 1, TEN).pods).to.equal(3))
})

describe('surgeLimit', () => {
  it('is a number, or percent of the source rounded up, and no more than Kubernetes can count', () => {
    const limits = (['25%', 4, '99999%', 'bad'] as const).map((maxSurge) => surgeLimit({ maxSurge, source: 10 }))
    expect(limits).to.deep.equal([3, 4, 10_000, 10])
    expect(surgeLimit({ maxSurge: '99999%', source: 2 ** 31 - 1 })).to.equal(2 ** 31 - 1)
  })
})
