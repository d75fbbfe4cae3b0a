import { expect } from 'chai'
import { odds } from '../../../common/text/odds.ts'

describe('odds', () => {
  it('are whole numbers from 1 to 100,000, or beyond one of them', () => {
    const shown = [-1e-9, 0, Math.log(12.4), Math.log(100_000), Math.log(100_001), 1e9].map(odds)
    expect(shown).to.deep.equal(['<1', '1', '12', '100000', '>100000', '>100000'])
  })
})
