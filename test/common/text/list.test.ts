import { expect } from 'chai'
import { alternatives, listed, shortenedList } from '../../../common/text/list.ts'

describe('a list of names', () => {
  it('has all alternatives', () =>
    expect([['a'], ['a', 'b'], ['a', 'b', 'c']].map(alternatives)).to.deep.equal(['a', 'a or b', 'a, b or c']))

  it('has two names, and the number of the others', () =>
    expect([['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).to.deep.equal(['a', 'a, b', 'a, b and 1 more']))

  it('is offered in each length, the longest first', () =>
    expect(shortenedList(['a', 'b', 'c'], 2)).to.deep.equal(['a, b and 1 more', 'a and 2 more']))
})
