import { expect } from 'chai'
import { added, mixture, zeros } from '../../../../common/analysis/engine/mixture.ts'

describe('a mixture', () => {
  it('is the logarithm of the mean', () => {
    expect(mixture([Math.log(1), Math.log(3)])).to.be.closeTo(Math.log(2), 1e-15)
    expect(mixture(zeros(5))).to.equal(0)
  })

  it('does not overflow', () => expect(mixture([2_000, 2_000])).to.be.closeTo(2_000, 1e-9))
})

describe('the sum of increments', () => {
  it('is that of each place', () => expect(added([1, 2], [10, 20])).to.deep.equal([11, 22]))
})
