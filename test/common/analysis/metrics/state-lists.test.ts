import { expect } from 'chai'
import { joinLists, listsOfSums, splitLists, sumsIn } from '../../../../common/analysis/metrics/state-lists.ts'

describe('lists of numbers', () => {
  it('come back as they were saved', () => {
    const lists = [[1.5, -2], [], [Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2]]
    expect(splitLists(JSON.parse(JSON.stringify(joinLists(...lists))))).to.deep.equal(lists)
    expect(splitLists([])).to.deep.equal([])
  })

  it('have no negative zeros, which JSON does not keep', () =>
    expect(joinLists([-0]).map((value) => Object.is(value, -0))).to.deep.equal([false, false]))

  it('keep sums with and without places', () => {
    const sums = [
      {
        all: [1, 2],
        without: [
          [3, 4],
          [5, 6],
        ],
      },
      { all: [7], without: [] },
    ]
    const [all = [], without = [], others = [], none = []] = splitLists(joinLists(...listsOfSums(sums)))
    expect([sumsIn(all, without), sumsIn(others, none)]).to.deep.equal(sums)
  })
})
