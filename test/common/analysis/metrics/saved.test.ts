import { expect } from 'chai'
import { loaded, partsOf, saved } from '../../../../common/analysis/metrics/saved.ts'

describe('lists of numbers', () => {
  it('come back as they were saved', () => {
    const lists = [[1.5, -2], [], [Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2]]
    expect(loaded(JSON.parse(JSON.stringify(saved(...lists))))).to.deep.equal(lists)
    expect(loaded([])).to.deep.equal([])
  })

  it('have no negative zeros, which JSON does not keep', () =>
    expect(saved([-0]).map((value) => Object.is(value, -0))).to.deep.equal([false, false]))

  it('are cut into parts', () =>
    expect(partsOf([1, 2, 3, 4], 2)).to.deep.equal([
      [1, 2],
      [3, 4],
    ]))
})
