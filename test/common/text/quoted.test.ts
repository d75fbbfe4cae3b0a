import { expect } from 'chai'
import { quoted } from '../../../common/text/quoted.ts'

describe('quoted', () => {
  it('shows a text in quotes', () => expect(quoted('say "a"')).to.equal('"say \\"a\\""'))
  it('M7: shows no part of a text that is too long', () => {
    expect(quoted('x'.repeat(256))).to.have.length(258)
    expect(quoted('x'.repeat(257))).to.equal('a text of 257 characters')
  })
})
