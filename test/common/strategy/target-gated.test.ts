import { expect } from 'chai'
import fc from 'fast-check'
import type { RunStep } from '../../../common/strategy/compile.ts'
import { type PodTarget, podsNow, podTargetAt, type Sizes, surgeLimit } from '../../../common/strategy/target.ts'
import { LAW } from '../../property.ts'
import { aGatedPod, anyGatedPods } from './gated-pods.ts'

const TEN: Sizes = { source: 10, preview: 10, replicas: 4, maxSurge: '100%', reserve: 0, isGated: true }
const setWeight = (weight: number): RunStep => ({ is: 'setWeight', weight, field: 'f' })
const PAUSE: RunStep = { is: 'pause' }
const PROMOTE: RunStep = { is: 'promote' }
const DRAIN: RunStep = { is: 'drain', seconds: 30 }

/** The target of the last of the steps. */
const last = (steps: readonly RunStep[], sizes: Partial<Sizes> = {}) =>
  podTargetAt(steps, steps.length - 1, { ...TEN, ...sizes })

describe('the target of a step of a gated fork', () => {
  const cases: Readonly<Record<string, { readonly found: PodTarget; readonly expected: PodTarget }>> = {
    'none is open before the first weight': { found: last([PAUSE]), expected: { pods: 4, open: 0 } },
    'none is open at weight 0': {
      found: last([setWeight(50), setWeight(0)]),
      expected: { pods: 4, open: 0, weight: 0 },
    },
    'none is open in an abort, which ends without pods': {
      found: last([{ is: 'remove' }]),
      expected: { pods: 0, open: 0 },
    },
    'as many are open as the weight says, of spec.replicas pods': {
      found: last([setWeight(20)]),
      expected: { pods: 4, open: 3, weight: 20 },
    },
    'a weight that needs more pods than spec.replicas gets them': {
      found: last([setWeight(50)]),
      expected: { pods: 10, open: 10, weight: 50 },
    },
    'maxSurge limits the weight, not spec.replicas': {
      found: last([setWeight(50)], { maxSurge: '10%' }),
      expected: { pods: 4, open: 1, weight: 50, needed: 10 },
    },
    'without steps as many are open as maxSurge allows': {
      found: last([{ is: 'surge' }], { maxSurge: '70%' }),
      expected: { pods: 7, open: 7 },
    },
    'a pause keeps what was': { found: last([setWeight(20), PAUSE]), expected: { pods: 4, open: 3, weight: 20 } },
    'a promotion opens what it needs': {
      found: last([PAUSE, PROMOTE], { reserve: 2 }),
      expected: { pods: 4, open: 2 },
    },
    'a promotion after a weight keeps what was, or opens what it needs': {
      found: last([setWeight(20), PROMOTE, DRAIN], { reserve: 6 }),
      expected: { pods: 6, open: 6 },
    },
    'a promotion after weight 0 opens only what it needs': {
      found: last([setWeight(0), PROMOTE]),
      expected: { pods: 4, open: 0 },
    },
  }
  for (const [sentence, { found, expected }] of Object.entries(cases))
    it(sentence, () => expect(found).to.deep.equal(expected))

  const anyStep: fc.Arbitrary<RunStep> = fc.oneof(
    fc.integer({ min: 0, max: 99 }).map(setWeight),
    fc.constantFrom<RunStep>(PAUSE, PROMOTE, { is: 'surge' }, { is: 'replicas' }),
  )
  const anySizes = fc.record({
    source: fc.integer({ min: 0, max: 20 }),
    preview: fc.integer({ min: 0, max: 20 }),
    replicas: fc.integer({ min: 0, max: 20 }),
    maxSurge: fc.constantFrom('0%', '25%', '100%', 3),
    reserve: fc.integer({ min: 0, max: 10 }),
    isGated: fc.constant(true),
  })

  it('never has more open pods than pods, and no more than maxSurge allows, but one', () =>
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), anySizes, (steps, sizes) => {
        const { pods, open } = podTargetAt(steps, steps.length - 1, sizes)
        expect(open).to.be.at.least(0).and.at.most(pods)
        expect(open).to.be.at.most(Math.max(1, surgeLimit(sizes)))
      }),
      LAW,
    ))
})

describe('the pods that a gated fork gets now', () => {
  const [fresh, former, going] = [
    aGatedPod('a'),
    aGatedPod('b', { revision: 'old' }),
    aGatedPod('c', { revision: 'old', isBeingDeleted: true }),
  ]
  const now = { revision: 'new' }

  it('all shut and not all pods updated: 0 pods', () =>
    expect(podsNow([fresh, former], { pods: 4, open: 0 }, now)).to.equal(0))

  it('then back, as soon as all of the former pods are being deleted', () => {
    expect(podsNow([going], { pods: 4, open: 0 }, now)).to.equal(4)
    expect(podsNow([], { pods: 4, open: 0 }, now)).to.equal(4)
  })

  it('while some are open, an update has only these, so that none that is shut holds it up', () =>
    expect(podsNow([fresh, former], { pods: 4, open: 1 }, now)).to.equal(1))

  it('while all are open, the update takes its way', () =>
    expect(podsNow([fresh, former], { pods: 4, open: 4 }, now)).to.equal(4))

  it('all pods when all are updated', () => expect(podsNow([fresh], { pods: 4, open: 1 }, now)).to.equal(4))

  it('at least those that shall be open, and never more than wanted', () =>
    fc.assert(
      fc.property(anyGatedPods, fc.nat(9), fc.nat(9), (pods, open, shut) => {
        const target = { pods: open + shut, open }
        expect(podsNow(pods, target, now)).to.be.oneOf([target.open, target.pods])
      }),
      LAW,
    ))
})
