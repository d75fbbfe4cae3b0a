import { expect } from 'chai'
import { listed } from '../../../common/text/list.ts'

describe('listed', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    '': [],
    a: ['a'],
    'a, b': ['a', 'b'],
    'a, b and 1 more': ['a', 'b', 'c'],
    'a, b and 3 more': ['a', 'b', 'c', 'd', 'e'],
  }
  for (const [text, names] of Object.entries(cases))
    it(`writes ${names.length} names as "${text}"`, () => expect(listed(names)).to.equal(text))
})
