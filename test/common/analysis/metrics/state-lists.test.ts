import { expect } from 'chai'
import { chunksOf, joinLists, splitLists } from '../../../../common/analysis/metrics/state-lists.ts'

describe('lists of numbers', () => {
  it('come back as they were saved', () => {
    const lists = [[1.5, -2], [], [Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2]]
    expect(splitLists(JSON.parse(JSON.stringify(joinLists(...lists))))).to.deep.equal(lists)
    expect(splitLists([])).to.deep.equal([])
  })

  it('have no negative zeros, which JSON does not keep', () =>
    expect(joinLists([-0]).map((value) => Object.is(value, -0))).to.deep.equal([false, false]))

  it('are cut into parts', () =>
    expect(chunksOf([1, 2, 3, 4], 2)).to.deep.equal([
      [1, 2],
      [3, 4],
    ]))
})
