import { expect } from 'chai'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { strategyErrors } from '../../../common/assess/strategy-errors.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource } from '../plan/some-run.ts'

/** `field: message` of each mistake of a canary beside ten pods. */
const errorsOf = (canary: CanaryStrategy, source = aSource()) =>
  strategyErrors(someFacts({ experiment: aRunExperiment({ strategy: { canary } }), source })).map(
    ({ field, message }) => `${field}: ${message}`,
  )

describe('the mistakes of a strategy', () => {
  const sound: Readonly<Record<string, CanaryStrategy>> = {
    'no steps': {},
    'the largest weight that maxSurge allows': { steps: [{ setWeight: 50 }] },
    'the whole weight, which is the promotion': { steps: [{ setWeight: 100 }] },
    'a pause of a year': { steps: [{ pause: { duration: '365d' } }] },
    'a larger weight with a larger maxSurge': { maxSurge: 40, steps: [{ setWeight: 80 }] },
  }
  for (const [what, canary] of Object.entries(sound))
    it(`do not include ${what}`, () => expect(errorsOf(canary)).to.deep.equal([]))

  it('include a weight beyond maxSurge, with the largest one that it allows', () =>
    expect(errorsOf({ steps: [{ pause: {} }, { setWeight: 80 }] })).to.deep.equal([
      'spec.strategy.canary.steps[1].setWeight: 80% needs 40 pods beside 10; maxSurge 100% allows 10; ' +
        'set maxSurge to 400%, or use at most 51% and promote from there, or set scaleDownSource to true: ' +
        'then the source gets smaller as the fork grows',
    ]))

  it('include every weight while maxSurge allows no pod, and the pods that a promotion needs', () =>
    expect(errorsOf({ maxSurge: 0, steps: [{ setWeight: 5 }] })).to.deep.equal([
      'spec.strategy.canary.steps[0].setWeight: 5% needs 1 pod beside 10; maxSurge 0 allows 0; set maxSurge to 10%',
      "spec.strategy.canary.maxSurge: the source's own rollout takes down 2 of 10 pods at once, so a promotion needs " +
        'as many of the fork; it allows 0; raise it or maxUnavailable',
    ]))

  it('include no lack of pods where the promotion may cost them', () =>
    expect(errorsOf({ maxSurge: 1, maxUnavailable: 2, steps: [{ setWeight: 5 }] })).to.deep.equal([]))

  it('include the reserve of a source that is recreated', () =>
    expect(errorsOf({ maxSurge: 9 }, aSource(10, 'example/cart:1', { strategy: { type: 'Recreate' } }))).to.deep.equal([
      "spec.strategy.canary.maxSurge: the source's own rollout takes down 10 of 10 pods at once, so a promotion needs " +
        'as many of the fork; it allows 9; raise it or maxUnavailable',
    ]))

  it('include a pause of more than a year, also while the source has no pods', () => {
    const expected = ['spec.strategy.canary.steps[0].pause.duration: must be at most a year; make it shorter']
    const canary = { steps: [{ pause: { duration: '366d' } }, { setWeight: 99 }] }
    expect(errorsOf(canary, aSource(0))).to.deep.equal(expected)
    expect(strategyErrors(someFacts())).to.deep.equal([])
  })
})
