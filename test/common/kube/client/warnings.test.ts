import { expect } from 'chai'
import { warningsIn } from '../../../../common/kube/client/warnings.ts'

const bytes = (text: string) => Buffer.from(text).toString('latin1')

describe('warningsIn', () => {
  const cases: Record<string, readonly [string | readonly string[] | undefined, readonly string[]]> = {
    'finds none where there is no header': [undefined, []],
    'reads one': ['299 - "spec.x is deprecated"', ['spec.x is deprecated']],
    'reads several headers': [
      ['299 - "a"', '299 - "b"'],
      ['a', 'b'],
    ],
    'reads several in one header, with and without a date': [
      '299 - "a, 299 - b", 299 api "b" "Wed, 21 Oct 2015 07:28:00 GMT" , 299 - "c"',
      ['a, 299 - b', 'b', 'c'],
    ],
    'reads quotes and backslashes': [
      String.raw`299 - "[Plan] set \"a\\b\" to \1"`,
      [String.raw`[Plan] set "a\b" to 1`],
    ],
    'reads other scripts than Latin': [bytes('299 - "größer als 3 €"'), ['größer als 3 €']],
    'gives equal texts once': [
      ['299 - "a", 299 - "b"', '299 - "a"'],
      ['a', 'b'],
    ],
    'leaves out other codes and empty texts': ['199 - "a", 299 - "", 299 - "b"', ['b']],
    'leaves out control characters': [bytes('299 - "a\u001b[31m", 299 - "b\u0085", 299 - "c"'), ['c']],
    'leaves out bytes that are no UTF-8': ['299 - "a\xff", 299 - "b"', ['b']],
    'leaves out texts without end': ['299 - "a', []],
    'leaves out what follows a mistake, in this header only': [
      ['299 - "a", 299 "b", 299 - "c"', '299 - "d"'],
      ['a', 'd'],
    ],
    'wants a code of three digits': ['29 - "a"', []],
    'wants a comma between two': ['299 - "a" 299 - "b"', []],
    'leaves out a text of more than 4,096 characters': [`299 - "${'a'.repeat(4_097)}", 299 - "b"`, ['b']],
    'gives at most a hundred': [
      Array.from({ length: 101 }, (_, index) => `299 - "${index}"`),
      Array.from({ length: 100 }, (_, index) => `${index}`),
    ],
  }
  for (const [sentence, [header, texts]] of Object.entries(cases))
    it(sentence, () => expect(warningsIn(header)).to.deep.equal(texts))

  it('needs no more time for a long header that is malformed', () =>
    expect(warningsIn(`299 - "${'\\\\'.repeat(500_000)}`)).to.deep.equal([]))
})
