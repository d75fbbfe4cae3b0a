import { expect } from 'chai'
import { alternatives, listed, shortenedList } from '../../../common/text/list.ts'

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

describe('alternatives', () => {
  it('are joined by "or", without a comma before it', () =>
    expect([['a'], ['a', 'b'], ['a', 'b', 'c']].map(alternatives)).to.deep.equal(['a', 'a or b', 'a, b or c']))
})

describe('M7: a list as a part of a text', () => {
  it('has a form for each number of names, with the number of the others', () =>
    expect(shortenedList(['a', 'b', 'c'])).to.deep.equal(['a, b, c', 'a, b and 1 more', 'a and 2 more']))
  it('has at most the given number of names', () =>
    expect(shortenedList(['a', 'b', 'c'], 2)).to.deep.equal(['a, b and 1 more', 'a and 2 more']))
  it('has at most twelve names', () =>
    expect(shortenedList(Array.from({ length: 14 }, (_, at) => `${at}`))[0]).to.match(/^0, .*, 11 and 2 more$/))
})
