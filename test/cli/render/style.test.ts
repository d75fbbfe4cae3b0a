import { expect } from 'chai'
import { markOf, styleOf } from '../../../cli/render/style.ts'
import type { Vars } from '../../../common/program/env.ts'
import { STATES } from '../../../common/view/experiment-view.ts'

const auto = { color: 'auto', ascii: false, isTerminal: true } as const
const UTF8 = { LANG: 'en_GB.UTF-8' }

describe('the style', () => {
  const colours: readonly (readonly [
    sentence: string,
    vars: Vars,
    of: Partial<Parameters<typeof styleOf>[0]>,
    expected: boolean,
  ])[] = [
    ['on a terminal', {}, {}, true],
    ['without a terminal', {}, { isTerminal: false }, false],
    ['with NO_COLOR', { NO_COLOR: '1' }, {}, false],
    ['with an empty NO_COLOR', { NO_COLOR: '' }, {}, true],
    ['with FORCE_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, { isTerminal: false }, true],
    ['with FORCE_COLOR=0', { FORCE_COLOR: '0' }, {}, false],
    ['with --color=never', { FORCE_COLOR: '1' }, { color: 'never' }, false],
    ['with --color=always', { NO_COLOR: '1' }, { color: 'always', isTerminal: false }, true],
  ]
  for (const [sentence, vars, of, expected] of colours)
    it(`has ${expected ? '' : 'no '}colour ${sentence}`, () =>
      expect(styleOf({ ...auto, ...of }, vars).hasColour).to.equal(expected))

  const plain: readonly (readonly [sentence: string, vars: Vars, ascii: boolean, expected: boolean])[] = [
    ['a UTF-8 locale', UTF8, false, false],
    ['--ascii', UTF8, true, true],
    ['no locale', {}, false, true],
    ['LC_ALL before LANG', { ...UTF8, LC_ALL: 'C' }, false, true],
    ['LC_CTYPE before LANG', { LANG: 'C', LC_CTYPE: 'C.utf8' }, false, false],
    ['an empty LC_ALL', { ...UTF8, LC_ALL: '' }, false, false],
  ]
  for (const [sentence, vars, ascii, expected] of plain)
    it(`prints ${expected ? 'only ASCII' : 'all characters'} with ${sentence}`, () =>
      expect(styleOf({ ...auto, ascii }, vars).isPlain).to.equal(expected))

  it('has a mark of its own for each state, also in ASCII', () => {
    for (const isPlain of [true, false]) {
      const marks = STATES.map((state) => markOf(state, { hasColour: false, isPlain }))
      expect(new Set(marks).size).to.equal(STATES.length)
      expect(marks.every((mark) => mark.length === 1 && (!isPlain || /^[ -~]$/.test(mark)))).to.equal(true)
    }
  })

  it('colours the mark and nothing after it', () =>
    expect(markOf('Failed', { hasColour: true, isPlain: true })).to.equal('\u001b[31mX\u001b[39m'))
})
