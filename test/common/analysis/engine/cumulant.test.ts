import { expect } from 'chai'
import { cumulant } from '../../../../common/analysis/engine/cumulant.ts'
import { areNear, VECTORS } from './vectors.ts'

/** As the sum is defined, term by term. */
function plainSum(a: number, b: number, lambda: number): number {
  const h = (x: number) => (x < 1e-4 ? (x * x) / 6 : Math.log(Math.sinh(x) / x))
  let sum = 0
  for (let i = 1; i <= a; i += 1) sum += h((lambda * (b + i)) / 2) - h((lambda * i) / 2)
  return sum
}

describe('the cumulant of ranks', () => {
  it('is that of the vectors', () => {
    for (const vectors of [VECTORS.mw_cumulant, VECTORS.mw_cumulant_large])
      areNear(
        vectors.map(({ a, b, lam }) => cumulant(a, b, lam)),
        vectors.map(({ K }) => K),
      )
  })

  it('is the plain sum for many requests, too', () => {
    for (const [a, b] of [
      [2_001, 2_001],
      [20_000, 480_000],
      [250_000, 250_000],
    ] as const) {
      const lambda = (12 * 0.32) / (a + b + 1)
      areNear([cumulant(a, b, lambda)], [plainSum(a, b, lambda)])
    }
  })

  it('is the same for both orders of the arms', () => expect(cumulant(7, 300, 0.05)).to.equal(cumulant(300, 7, 0.05)))
})
