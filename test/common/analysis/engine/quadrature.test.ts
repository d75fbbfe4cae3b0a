import { expect } from 'chai'
import { integralOf } from '../../../../common/analysis/engine/quadrature.ts'

describe('an integral', () => {
  it('is exact for polynomials', () => {
    expect(integralOf((x) => x ** 5 - 2 * x, 1, 3)).to.be.closeTo(728 / 6 - 8, 1e-12)
    expect(integralOf(() => 1, -2, 5)).to.be.closeTo(7, 1e-14)
  })

  it('is near for smooth functions', () => expect(integralOf(Math.exp, 0, 3)).to.be.closeTo(Math.exp(3) - 1, 1e-12))
})
