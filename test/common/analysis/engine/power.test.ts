import { expect } from 'chai'
import { detectable, spreadOf } from '../../../../common/analysis/engine/power.ts'
import { areNear, VECTORS } from './vectors.ts'

describe('the smallest slowdown that shows', () => {
  it('is that of the vectors', () =>
    areNear(
      VECTORS.power.map((of) => detectable(of, of, of.seconds)),
      VECTORS.power.map((of) => of.detectable),
      1e-6,
    ))

  it('is infinite where hardly anybody asks', () => {
    const traffic = { requestsPerSecond: 0.01, share: 0.1, intervalSeconds: 30, spread: 1 }
    expect(detectable(traffic, { tolerance: 0.1, alpha: 0.025, metrics: 1 }, 60)).to.equal(Number.POSITIVE_INFINITY)
  })
})

describe('the spread of times', () => {
  it('is that of a log-normal distribution with these times', () =>
    expect(spreadOf(0.2, 0.2 * Math.exp(0.64))).to.be.closeTo(0.5, 1e-12))

  it('is not known without both times, or without a difference', () => {
    expect([spreadOf(undefined, 1), spreadOf(1, undefined), spreadOf(1, 1), spreadOf(0, 1)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
