import { expect } from 'chai'
import { tableLines } from '../../../cli/render/table.ts'
import { text } from '../../../common/view/text.ts'

const style = { hasColour: false, isPlain: false }
const NAME = 'a-very-long-name-of-an-experiment-v2'

describe('a table', () => {
  it('aligns its columns, with marks and branches in them, and has no white space at the end', () =>
    expect(
      tableLines(
        {
          rows: [
            [text(''), text('NAME'), text('X')],
            [
              { mark: 'Failed', text: text('') },
              { branch: '└── ', text: text('ümlaut') },
              { mark: 'Running', text: text('1/1') },
            ],
            [{ mark: 'Running', text: text('') }, text('b'), text('')],
          ],
        },
        style,
      ),
    ).to.deep.equal(['   NAME        X', '✖  └── ümlaut  ✔ 1/1', '✔  b']))

  it('leaves out the middle of names where it is too wide', () =>
    expect(tableLines({ rows: [[text(NAME), text('Running')]], shortens: 0, width: 30 }, style)).to.deep.equal([
      'a-very-lon…eriment-v2  Running',
    ]))

  it('keeps enough of a name to know it', () =>
    expect(tableLines({ rows: [[text(NAME)]], shortens: 0, width: 3 }, { ...style, isPlain: true })).to.deep.equal([
      'a-very-...ent-v2',
    ]))

  it('of no rows is no line', () => expect(tableLines({ rows: [] }, style)).to.deep.equal([]))
})
