import { expect } from 'chai'
import { ABSENT } from '../../../common/api/known.ts'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { PAUSE_WORDS } from '../../../common/api/strategy.ts'
import { strategyErrors } from '../../../common/assess/strategy-errors.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { aDeployment, anExperiment, aPolicy, installing, NO_POLICIES } from '../../builders.ts'
import { type Given, someFacts, theFork } from '../plan/some-facts.ts'
import { aRunExperiment, aSource } from '../plan/some-run.ts'

const STEP = 'spec.strategy.canary.steps'
const INSIDE = ', or set scaleDownSource to true: then the source gets smaller as the fork grows'

/** The mistakes in a canary of a source of ten pods, as `path: message`. */
const mistakes = (canary: CanaryStrategy, replicas = 10) =>
  strategyErrors(
    someFacts({ experiment: anExperiment({ strategy: { canary } }), source: aDeployment({ spec: { replicas } }) }),
  ).map(({ field, message }) => `${field}: ${message}`)

describe('the mistakes in a strategy', () => {
  it('are none without a strategy, and none in weights that maxSurge allows', () => {
    expect(strategyErrors(someFacts())).to.deep.equal([])
    expect(mistakes({ steps: [{ setWeight: 5 }, { pause: {} }, { setWeight: 50 }, { setWeight: 100 }] })).to.deep.equal(
      [],
    )
  })

  it('N19: are weights beyond maxSurge, each with the maxSurge that all weights need, and the way out', () => {
    expect(mistakes({ steps: [{ setWeight: 20 }, { setWeight: 60 }, { pause: {} }, { setWeight: 80 }] })).to.deep.equal(
      [
        `${STEP}[1].setWeight: 60% needs 15 pods beside 10; maxSurge 100% allows 10; set maxSurge to 400%, or use at most 51% and promote from there${INSIDE}`,
        `${STEP}[3].setWeight: 80% needs 40 pods beside 10; maxSurge 100% allows 10; set maxSurge to 400%, or use at most 51% and promote from there${INSIDE}`,
      ],
    )
    expect(mistakes({ maxSurge: '25%', steps: [{ setWeight: 40 }] })).to.deep.equal([
      `${STEP}[0].setWeight: 40% needs 7 pods beside 10; maxSurge 25% allows 3; set maxSurge to 70%, or use at most 25% and promote from there${INSIDE}`,
    ])
  })

  it('N6: are more missing pods of a blue-green than all, and a number as a text', () => {
    const of = (maxUnavailable: number | string) => {
      const experiment = anExperiment({ strategy: { blueGreen: { activeService: 'cart', maxUnavailable } } })
      return strategyErrors(someFacts({ experiment })).map(({ field, message }) => `${field}: ${message}`)
    }
    const field = 'spec.strategy.blueGreen.maxUnavailable'
    for (const amount of [0, 3, '0%', '25%', '100%']) expect(of(amount)).to.deep.equal([])
    expect(of('101%')).to.deep.equal([
      `${field}: 101% are more than all pods of the fork; write 100% or less, or a number`,
    ])
    expect(of('25')).to.deep.equal([`${field}: "25" is a text; write the number 25, or 25%`])
  })

  it('advise no weight where maxSurge allows none', () => {
    expect(mistakes({ maxSurge: 0, steps: [{ setWeight: 1 }] }, 3)).to.deep.equal([
      `${STEP}[0].setWeight: 1% needs 1 pod beside 3; maxSurge 0 allows 0; set maxSurge to 34%`,
    ])
  })

  it('advise scaleDownSource where that alone is enough', () => {
    const isAdvised = (given: Given, canary: CanaryStrategy = {}) => {
      const strategy = { canary: { ...canary, steps: [{ setWeight: 80 }] } }
      const [weight] = strategyErrors(someFacts({ experiment: anExperiment({ strategy }), ...given }), theFork())
      return weight?.message.endsWith(INSIDE)
    }
    const policed = (spec: ExperimentPolicySpec) => ({ policies: { ...NO_POLICIES, policies: [aPolicy(spec)] } })
    expect(isAdvised({})).to.equal(true)
    expect(isAdvised({ installed: installing() }), 'without the component').to.equal(false)
    expect(isAdvised({}, { maxSurge: 0 }), 'with no pod to spare').to.equal(false)
    expect(isAdvised({ neighbours: undefined }), 'with autoscalers that are not known').to.equal(false)
    expect(isAdvised(policed({})), 'under a policy').to.equal(false)
    expect(isAdvised(policed({ allowScaleDownSource: true })), 'under one that allows it').to.equal(true)
  })

  it('are no weights where the source gets smaller instead', () => {
    const weights = [{ setWeight: 20 }, { setWeight: 80 }, { setWeight: 99 }]
    expect(mistakes({ scaleDownSource: true, steps: weights })).to.deep.equal([])
    expect(mistakes({ scaleDownSource: true, steps: [{ pause: { duration: '400d' } }] })).to.have.length(1)
  })

  it('are none after the advice was followed', () => {
    const maxUnavailable = '25%' // a promotion needs no pods then
    for (const replicas of [1, 3, 4, 7, 10, 50, 333])
      for (const weight of [1, 10, 33, 50, 60, 66, 75, 80, 90, 99])
        for (const maxSurge of [0, 1, '25%', '100%']) {
          const steps = [{ setWeight: weight }]
          const [, advised, most] =
            /set maxSurge to (\d+%)(?:, or use at most (\d+)% and promote from there)?(?:, or set scaleDownSource.*)?$/.exec(
              mistakes({ maxSurge, maxUnavailable, steps }, replicas)[0] ?? '',
            ) ?? []
          if (advised === undefined) continue
          expect(mistakes({ maxSurge: advised, maxUnavailable, steps }, replicas)).to.deep.equal([])
          if (most !== undefined)
            expect(
              mistakes({ maxSurge, maxUnavailable, steps: [{ setWeight: Number(most) }] }, replicas),
            ).to.deep.equal([])
        }
  })

  it('are pauses of more than a year, and those in words', () => {
    const durations = ['365d', '400d', '5 minutes']
    expect(mistakes({ steps: durations.map((duration) => ({ pause: { duration } })) })).to.deep.equal([
      `${STEP}[1].pause.duration: must be ${PAUSE_WORDS}`,
      `${STEP}[2].pause.duration: must be ${PAUSE_WORDS}`,
    ])
  })

  it('are not known while the source has no pods or does not exist', () => {
    const steps = [{ setWeight: 99 }]
    expect(mistakes({ steps }, 0)).to.deep.equal([])
    const experiment = anExperiment({ strategy: { canary: { steps } } })
    expect(strategyErrors({ ...someFacts({ experiment }), source: ABSENT })).to.deep.equal([])
  })
})

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
    const expected = [`spec.strategy.canary.steps[0].pause.duration: must be ${PAUSE_WORDS}`]
    const canary = { steps: [{ pause: { duration: '366d' } }, { setWeight: 99 }] }
    expect(errorsOf(canary, aSource(0))).to.deep.equal(expected)
    expect(strategyErrors(someFacts())).to.deep.equal([])
  })
})
