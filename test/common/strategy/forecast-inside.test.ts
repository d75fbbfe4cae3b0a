import { expect } from 'chai'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { boundsOf } from '../../../common/scaling/sizes.ts'
import { compileSteps } from '../../../common/strategy/compile.ts'
import { demands, forecast, forecastTexts } from '../../../common/strategy/forecast.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import type { Sizes } from '../../../common/strategy/target.ts'
import { anExperiment } from '../../builders.ts'

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
