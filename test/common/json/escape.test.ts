import { expect } from 'chai'
import { escapeInvisible, escapeToAscii } from '../../../common/json/escape.ts'

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

describe('escapeToAscii', () => {
  it('writes all that is no printable ASCII as JSON does', () =>
    expect(escapeToAscii('a\n~\u00e4\u{1f642}\u202e')).to.equal('a\\u000a~\\u00e4\\ud83d\\ude42\\u202e'))
})
