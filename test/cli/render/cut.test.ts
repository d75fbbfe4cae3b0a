import { expect } from 'chai'
import { fitted, withoutMiddle } from '../../../cli/render/cut.ts'
import { text } from '../../../common/view/text.ts'

const style = { hasColour: true, isPlain: false }
const lines = ['one', 'two', 'three', 'four']

describe('what is too large for a terminal', () => {
  it('keeps its beginning, and says how much is left out', () =>
    expect(fitted(lines, { columns: 20, rows: 4 }, style)).to.deep.equal(['one', 'two', '… 2 more lines']))

  it('is whole where it fits beside the row of the cursor', () =>
    expect(fitted(lines, { columns: 20, rows: 5 }, style)).to.deep.equal(lines))

  it('is one line at least', () =>
    expect(fitted(lines, { columns: 20, rows: 1 }, style)).to.deep.equal(['… 4 more lines']))

  it('has no line that the terminal would wrap, and ends each colour', () =>
    expect(fitted(['\u001b[31m!\u001b[39m  faster-cart'], { columns: 8, rows: 9 }, style)).to.deep.equal([
      '\u001b[31m!\u001b[39m  fast…',
    ]))

  it('counts characters, and not the units of which they consist', () => {
    expect(fitted(['😀😀😀'], { columns: 3, rows: 9 }, style)).to.deep.equal(['😀😀😀'])
    expect(withoutMiddle(text('😀😀😀😀😀'), 3, style)).to.equal('😀…😀')
  })

  it('is cut in ASCII, too', () =>
    expect(fitted(['abcdefgh'], { columns: 6, rows: 9 }, { ...style, isPlain: true })).to.deep.equal(['abc...']))
})
