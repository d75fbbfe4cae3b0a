import { expect } from 'chai'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { boundsOf } from '../../../common/scaling/sizes.ts'
import { compileSteps, type RunStep } from '../../../common/strategy/compile.ts'
import { demands, forecast, forecastTexts } from '../../../common/strategy/forecast.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import type { Sizes } from '../../../common/strategy/target.ts'
import { anExperiment } from '../../builders.ts'

const TEN: Sizes = { source: 10, preview: 10, replicas: 2, maxSurge: '100%', reserve: 0, isGated: false }

function stepsOf(of: Parameters<typeof anExperiment>[0]): readonly RunStep[] {
  const spec = strategyRunSpec(anExperiment(of).spec)
  if (!spec) throw new Error('nothing to compile')
  return compileSteps(spec, 'Forward')
}

const CANARY = stepsOf({
  strategy: {
    canary: { steps: [{ setWeight: 10 }, { pause: { duration: '1h' } }, { setWeight: 20 }, { pause: {} }] },
  },
})

describe('the forecast of a run', () => {
  it('says the pods at each step', () =>
    expect(forecast(CANARY, TEN).map(({ pods }) => pods)).to.deep.equal([1, 1, 3, 3, 3, 3, 3]))

  it('counts the reserve from the promotion on', () =>
    expect(forecast(CANARY, { ...TEN, reserve: 5 }).map(({ pods }) => pods)).to.deep.equal([1, 1, 3, 3, 3, 5, 5]))

  it('in words says the weight, the pods, and the share where it is another one', () =>
    expect(forecastTexts(CANARY, TEN)).to.deep.equal([
      '10% 1 of 11 pods (9%)',
      'pause 1h',
      '20% 3 of 13 (23%)',
      'pause until resumed',
      'wait until promoted',
      'promote',
      'delete the fork after 30s',
    ]))

  it('in words leaves out the share that is the weight', () => {
    const half = stepsOf({ strategy: { canary: { steps: [{ setWeight: 50 }] } } })
    expect(forecastTexts(half, TEN)[0]).to.equal('50% 10 of 20 pods')
  })

  it('in words says that a source without pods gets none', () => {
    const half = stepsOf({ strategy: { canary: { steps: [{ setWeight: 50 }] } } })
    expect(forecastTexts(half, { ...TEN, source: 0 })[0]).to.equal('50%')
  })

  it('in words says the pods of maxSurge and of replicas', () => {
    expect(forecastTexts(stepsOf({ strategy: { canary: { maxSurge: 1 } } }), { ...TEN, maxSurge: 1 })[0])
      .to //
      .equal('1 of 11 pods (9%)')
    expect(forecastTexts(stepsOf({ promotion: {} }), TEN)[0]).to.equal('2 of 12 pods (17%)')
  })

  it('in words says where it waits for a verdict, which asks for no other pods', () => {
    const canary = { steps: [{ setWeight: 10 }, { analysis: {} }] }
    const analyzed = stepsOf({ analysis: {}, strategy: { canary } })
    expect(forecastTexts(analyzed, TEN).slice(0, 3)).to.deep.equal([
      '10% 1 of 11 pods (9%)',
      'wait until the analysis passes',
      'wait until promoted',
    ])
    expect(demands(analyzed, TEN)).to.deep.equal(demands(stepsOf({ strategy: { canary } }), TEN))
    expect(forecast(analyzed, TEN).map(({ pods }) => pods)).to.deep.equal([1, 1, 1, 1, 1])
  })

  it('in words says the ways back', () =>
    expect(forecastTexts([{ is: 'restore' }, { is: 'remove' }], TEN)).to.deep.equal(['restore the source', 'no pods']))
})

describe('the demands of a run', () => {
  const at = (index: number) => `spec.strategy.canary.steps[${index}].setWeight`

  it('are the numbers of pods, each at the first step that asks for it', () => {
    const steps = stepsOf({
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 25 }, { setWeight: 50 }] } },
    })
    // 20 % and 25 % of 10 are 3 pods each
    expect(demands(steps, TEN)).to.deep.equal([
      { field: at(0), pods: 3, open: 3 },
      { field: at(3), pods: 10, open: 10 },
    ])
  })

  it('of maxSurge are at its field', () =>
    expect(demands(stepsOf({ strategy: { canary: {} } }), TEN)).to.deep.equal([
      { field: 'spec.strategy.canary.maxSurge', pods: 10, open: 10 },
    ]))

  it('of a promotion alone are at spec.replicas', () =>
    expect(demands(stepsOf({ promotion: {} }), TEN)).to.deep.equal([{ field: 'spec.replicas', pods: 2, open: 2 }]))

  it('of pods that a promotion reserves are at the field that says how many pods it may cost', () => {
    const reserved = { field: 'spec.strategy.canary.maxUnavailable', pods: 5, open: 5, isForPromotion: true }
    const asked = [
      { field: at(0), pods: 1, open: 1 },
      { field: at(2), pods: 3, open: 3 },
    ]
    expect(demands(CANARY, { ...TEN, reserve: 5 })).to.deep.equal([...asked, reserved])
    expect(demands(CANARY, { ...TEN, reserve: 3 })).to.deep.equal(asked)
    const gated = demands(CANARY, { ...TEN, replicas: 4, reserve: 5, isGated: true })
    expect(gated.at(-1)).to.deep.equal(reserved)
  })

  it('of pods that a promotion alone reserves are at the promotion', () =>
    expect(demands(stepsOf({ promotion: {} }), { ...TEN, reserve: 5 })).to.deep.equal([
      { field: 'spec.replicas', pods: 2, open: 2 },
      { field: 'spec.promotion', pods: 5, open: 5, isForPromotion: true },
    ]))

  it('of a pause before any weight are at spec.replicas', () => {
    const steps = stepsOf({ strategy: { canary: { steps: [{ pause: {} }, { setWeight: 50 }] } } })
    expect(demands(steps, TEN)).to.deep.equal([
      { field: 'spec.replicas', pods: 2, open: 2 },
      { field: at(1), pods: 10, open: 10 },
    ])
  })
})

/** A canary inside a source of `size` pods, whose own rollout adds one. */
function inside(canary: CanaryStrategy, size = 5) {
  const spec = strategyRunSpec(anExperiment({ strategy: { canary: { ...canary, scaleDownSource: true } } }).spec)
  if (!spec) throw new Error('there is no strategy')
  const sizes: Sizes = {
    ...{ source: size, preview: size, replicas: 1, maxSurge: spec.maxSurge, reserve: 2, isGated: false },
    inside: { bounds: boundsOf(size, spec), rollout: { takesDown: false, surge: 1 } },
  }
  return { steps: compileSteps(spec, 'Forward'), sizes }
}

const ARGO: CanaryStrategy = { steps: [20, 40, 60, 80].flatMap((setWeight) => [{ setWeight }, { pause: {} }]) }

const textsOf = (canary: CanaryStrategy, size?: number) => {
  const { steps, sizes } = inside(canary, size)
  return forecastTexts(steps, sizes)
}

describe('the forecast of a canary inside its source', () => {
  it('has the sizes of both at each step', () => {
    const { steps, sizes } = inside(ARGO)
    const pairs = forecast(steps, sizes).map(({ pods, reach }) => `${pods}+${reach.source}`)
    expect(pairs.join(' ')).to.equal('1+4 1+4 2+3 2+3 3+2 3+2 4+1 4+1 4+1 4+1 0+5 0+5')
  })

  it('in words says both at each weight, and the share where it is another one', () => {
    expect(textsOf(ARGO).filter((text) => text.includes('source'))).to.deep.equal([
      '20% 1 of the fork, 4 of the source',
      '40% 2 of the fork, 3 of the source',
      '60% 3 of the fork, 2 of the source',
      '80% 4 of the fork, 1 of the source',
      'the source gets all of its pods back',
    ])
    expect(textsOf({ steps: [{ setWeight: 5 }] })[0]).to.equal('5% 1 of the fork, 4 of the source (20%)')
  })

  it('in words says no pods of a source without pods, and none at weight 0', () => {
    expect(textsOf({ steps: [{ setWeight: 20 }] }, 0)[0]).to.equal('20%')
    expect(textsOf({ steps: [{ setWeight: 0 }] })[0]).to.equal('0% no pods')
  })

  it('in words says what maxSurge allows beside the source without steps', () =>
    expect(textsOf({})[0]).to.equal('2 of the fork, 5 of the source (29%)'))
})

describe('the demands of a canary inside its source', () => {
  const at = (index: number) => `spec.strategy.canary.steps[${index}].setWeight`

  it('have the pods of the source beside each number of pods', () => {
    const { steps, sizes } = inside({ steps: [{ setWeight: 20 }, { setWeight: 40 }] })
    expect(demands(steps, sizes)).to.deep.equal([
      { field: at(0), pods: 1, open: 1, source: 4 },
      { field: at(1), pods: 2, open: 2, source: 3 },
      {
        ...{ field: 'spec.strategy.canary.scaleDownSource', pods: 4, open: 4, source: 1 },
        isForPromotion: true,
      },
      { field: 'spec.replicas', pods: 0, open: 0, source: 5 },
    ])
  })

  it('are none for the promotion where a step has as many', () =>
    expect(demands(...argsOf(ARGO)).some(({ isForPromotion }) => isForPromotion)).to.equal(false))
})

function argsOf(canary: CanaryStrategy): Parameters<typeof demands> {
  const { steps, sizes } = inside(canary)
  return [steps, sizes]
}
