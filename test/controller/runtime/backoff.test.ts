import { expect } from 'chai'
import { backoff } from '../../../controller/runtime/backoff.ts'

describe('backoff', () => {
  it('doubles from 5 ms up to a minute', () => {
    const wait = backoff({ random: () => 0 })
    expect([1, 2, 3, 14, 15, 100, 5_000].map(wait)).to.deep.equal([5, 10, 20, 40_960, 60_000, 60_000, 60_000])
  })

  it('adds up to a fifth at random', () => {
    expect(backoff({ random: () => 0.5 })(1)).to.equal(5.5)
    expect(backoff({ random: () => 0.999_999 })(100)).to.be.closeTo(72_000, 1)
  })
})
