import { expect } from 'chai'
import { logWeightedCombinations } from '../../../../common/analysis/engine/odds.ts'

/** As the sum is defined, with exact numbers. */
function plainSum(treatment: number, control: number, events: number, w: number): number {
  const choose = (n: number, k: number) => {
    let product = 1
    for (let i = 1; i <= k; i += 1) product = (product * (n - k + i)) / i
    return k < 0 || k > n ? 0 : product
  }
  let sum = 0
  for (let k = 0; k <= events; k += 1) sum += choose(treatment, k) * choose(control, events - k) * w ** k
  return Math.log(sum)
}

describe('the logarithm of the ways to spread events', () => {
  it('is the plain sum for small arms', () => {
    for (const treatment of [1, 3, 12, 20])
      for (const control of [1, 5, 30])
        for (const w of [0.1, 1, 1.21, 10])
          for (let events = 1; events < treatment + control; events += 1) {
            const found = logWeightedCombinations({ treatment, control, events }, w)
            expect(found).to.be.closeTo(plainSum(treatment, control, events, w), 1e-11 * Math.max(1, Math.abs(found)))
          }
  })

  it('is Vandermonde’s sum for many requests, where all ways count alike', () => {
    const [small, large] = [{ treatment: 100_000, control: 400_000 }, 500_000]
    for (const events of [1, 200, 50_000, 250_000]) {
      const one = logWeightedCombinations({ ...small, events }, 1)
      const other = logWeightedCombinations({ treatment: large, control: 0, events }, 1)
      expect(one).to.be.closeTo(other, 1e-9 * Math.max(1, other))
    }
  })
})
