import { expect } from 'chai'
import { cut } from '../../../common/api/cut.ts'

describe('cut', () => {
  it('leaves a text alone that fits', () => expect(cut('abcdef', 6)).to.equal('abcdef'))

  it('takes out the middle of a longer one', () => {
    expect(cut('abcdefghij', 7)).to.equal('ab...ij')
    expect(cut('abcdefghij', 8)).to.equal('abc...ij')
  })

  it('leaves no half of a character', () => {
    const text = cut('🙂'.repeat(20), 12)
    expect(text.length).to.be.at.most(12)
    expect(text.isWellFormed()).to.equal(true)
  })
})
