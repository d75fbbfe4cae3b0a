import { expect } from 'chai'
import { chunksOf, evidenceIn, noSums, withSteps } from '../../../../common/analysis/engine/sums.ts'

describe('the sums of bets', () => {
  it('grow with and without each place', () => {
    const steps = (left?: number) => (left === undefined ? [3, 4] : [left, 10])
    const once = withSteps(noSums(2), 2, steps)
    expect(once).to.deep.equal({
      all: [3, 4],
      without: [
        [0, 10],
        [1, 10],
      ],
    })
    expect(withSteps(once, 2, steps).without).to.deep.equal([
      [0, 20],
      [2, 20],
    ])
  })

  it('without a new place are those of all pods until then', () => {
    const once = withSteps(noSums(1), 1, (left) => (left === undefined ? [3] : [0]))
    expect(withSteps(once, 2, () => [1])).to.deep.equal({ all: [4], without: [[1], [4]] })
  })

  it('without a place that has no pod any more go on', () => {
    const once = withSteps(noSums(1), 2, () => [1])
    expect(withSteps(once, 1, () => [1]).without).to.deep.equal([[2], [2]])
  })

  it('are evidence each by itself', () =>
    expect(evidenceIn({ all: [1, 2], without: [[3, 4]] }, (bets) => Math.max(...bets))).to.deep.equal({
      all: 2,
      without: [4],
    }))

  it('are cut into parts', () => {
    expect(chunksOf([1, 2, 3, 4], 2)).to.deep.equal([
      [1, 2],
      [3, 4],
    ])
    expect(chunksOf([], 0)).to.deep.equal([])
  })
})
