import { expect } from 'chai'
import { printable } from '../../../common/text/printable.ts'

describe("somebody else's text", () => {
  it('is shown as it is if it is short and visible', () => {
    for (const text of ['', 'no store of zone b answered', 'ü'.repeat(256)]) expect(printable(text)).to.equal(text)
  })

  it('is cut after 256 characters, never within one', () => {
    expect(printable('a'.repeat(257))).to.equal(`${'a'.repeat(253)}...`)
    expect(printable(`${'a'.repeat(252)}${'\u{1f600}'.repeat(9)}`)).to.equal(`${'a'.repeat(252)}...`)
    expect(printable('\n'.repeat(1_000_000))).to.equal(`${'\\u000a'.repeat(42)}...`)
  })

  it('has no invisible characters, and no half of one', () =>
    expect(printable('a\u202eb\nc\ud800')).to.equal('a\\u202eb\\u000ac\ufffd'))
})
