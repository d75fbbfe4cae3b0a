import { expect } from 'chai'
import { cut } from '../../../common/text/cut.ts'

describe('cut', () => {
  it('returns a text that fits as it is', () => expect(cut('abcdef', 6)).to.equal('abcdef'))

  it('cuts the middle out of a longer text', () => {
    expect(cut('abcdefghij', 7)).to.equal('ab...ij')
    expect(cut('abcdefghij', 8)).to.equal('abc...ij')
  })

  it('splits no character', () => {
    const text = cut('🙂'.repeat(20), 12)
    expect(text.length).to.be.at.most(12)
    expect(text.isWellFormed()).to.equal(true)
  })
})
