import { expect } from 'chai'
import { escapeInvisible, escapeTexts, escapeToAscii } from '../../../common/json/escape.ts'

describe('escapeInvisible', () => {
  const cases: Record<string, readonly [string, string]> = {
    'what shows text from right to left': ['a\u202eb', 'a\\u202eb'],
    'line breaks and other control characters': ['\n\u001b\u0085', '\\u000a\\u001b\\u0085'],
    'separators of lines and paragraphs': ['\u2028\u2029', '\\u2028\\u2029'],
    'soft hyphens and marks without a width': ['\u00ad\u200b\ufeff', '\\u00ad\\u200b\\ufeff'],
    'characters beyond U+FFFF, as two escapes': ['\u{e0041}', '\\udb40\\udc41'],
  }
  for (const [what, [text, escaped]] of Object.entries(cases))
    it(`S14: escapes ${what}, as JSON does`, () => {
      expect(escapeInvisible(text)).to.equal(escaped)
      expect(JSON.parse(`"${escaped}"`)).to.equal(text)
    })

  it('leaves visible text alone', () => expect(escapeInvisible('a b "ä" \\ 日本 🙂')).to.equal('a b "ä" \\ 日本 🙂'))
})

describe('escapeTexts', () => {
  it('N37b: escapes all texts in a value, and no names of members', () =>
    expect(escapeTexts({ a: ['\u001b[2J', 1], '\u202e': { b: 'x\ny', c: null, d: undefined } })).to.deep.equal({
      a: ['\\u001b[2J', 1],
      '\u202e': { b: 'x\\u000ay', c: null, d: undefined },
    }))

  it('N37b: returns a value without invisible characters as it is', () => {
    const value = { a: ['b', { c: 'd' }], e: 1, f: null }
    expect(escapeTexts(value)).to.equal(value)
  })
})

describe('escapeToAscii', () => {
  it('writes all that is no printable ASCII as JSON does', () =>
    expect(escapeToAscii('a\n~\u00e4\u{1f642}\u202e')).to.equal('a\\u000a~\\u00e4\\ud83d\\ude42\\u202e'))
})
