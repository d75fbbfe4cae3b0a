import { expect } from 'chai'
import {
  EFFECT_STEPS,
  effectBounds,
  percentMore,
  withEffectBets,
  withEstimateInside,
} from '../../../../common/analysis/metrics/effect.ts'

describe('what is shown of an effect', () => {
  /** Harm is shown for all margins under 12 %, and safety for all above 40 %. */
  const rungs = withEffectBets([], (margin, side) => (side === 1 ? [margin < 0.12 ? 9 : -9] : [margin > 0.4 ? 9 : -9]))

  it('is the largest step with harm and the smallest with safety', () =>
    expect(effectBounds(rungs, { harm: 5, safety: 5 })).to.deep.equal({ atLeast: 10, atMost: 50 }))

  it('is nothing without evidence', () => {
    expect(effectBounds([], { harm: 5, safety: 5 })).to.deep.equal({})
    expect(effectBounds(rungs, { harm: 10, safety: 10 })).to.deep.equal({})
  })

  it('may have more bets on harm than on safety', () => {
    const uneven = withEffectBets([], (margin, side) =>
      side === 1 ? [margin < 0.12 ? 9 : -9, -99] : [margin > 0.4 ? 9 : -9],
    )
    expect(effectBounds(uneven, { harm: 5, safety: 5, harmBets: 2 })).to.deep.equal({ atLeast: 10, atMost: 50 })
  })

  it('grows with each window', () => {
    const twice = withEffectBets(rungs, () => [1])
    expect(twice).to.deep.equal(rungs.map((value) => value + 1))
    expect(twice).to.have.length(2 * EFFECT_STEPS.length)
  })
})

describe('withEstimateInside', () => {
  const estimateOf = (estimate: number, bounds: object) =>
    withEstimateInside({ estimate, ...bounds, of: 'median' }).estimate

  it('N24: lets no estimate lie outside of its own interval', () => {
    expect(estimateOf(147, { atLeast: 200 })).to.equal(200)
    expect(estimateOf(60, { atLeast: 10, atMost: 50 })).to.equal(50)
    expect(estimateOf(22, { atLeast: 10, atMost: 50 })).to.equal(22)
    expect(estimateOf(-30, {})).to.equal(-30)
    expect(withEstimateInside({ atLeast: 5, of: 'rate' })).to.deep.equal({ atLeast: 5, of: 'rate' })
  })
})

describe('percentMore', () => {
  it('is undefined where it is no number', () => {
    expect([percentMore(3, 2), percentMore(1, 2)]).to.deep.equal([50, -50])
    expect([percentMore(1, 0), percentMore(0, 0)]).to.deep.equal([undefined, undefined])
  })

  it('is above zero for what is more, also where both are negative', () =>
    expect([percentMore(-1, -2), percentMore(-3, -2), percentMore(-2, -2), percentMore(1, -2)]).to.deep.equal([
      50, -50, 0, 150,
    ]))
})
