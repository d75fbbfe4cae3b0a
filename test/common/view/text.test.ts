import { expect } from 'chai'
import { text } from '../../../common/view/text.ts'

describe('text to show', () => {
  it('is on one line, without what is invisible', () => {
    expect(text('  a\n\tb \u00a0 c ')).to.equal('a b c')
    expect(text('\u001b[31mred\u001b]8;;http://x\u0007 \u202eabc')).to.equal(
      '\\u001b[31mred\\u001b]8;;http://x\\u0007 \\u202eabc',
    )
    expect(text('\ud800x')).to.equal('\ufffdx')
  })

  it('has none of these characters, whatever is given, and at most 1,024', () => {
    for (let code = 0; code <= 0x1_ffff; code += 0x40) {
      const given = String.fromCodePoint(...Array.from({ length: 0x40 }, (_, index) => code + index))
      expect(text(given)).not.to.match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    }
    for (const long of ['x'.repeat(1_000_000), ' x'.repeat(500_000), '\u202e'.repeat(1_000_000)])
      expect(text(long).length).to.be.within(1_000, 1_024)
  })
})
