import { expect } from 'chai'
import { ranksOf, ranksOfBins, ranksOfBuckets } from '../../../../common/analysis/engine/ranks.ts'
import { VECTORS } from './vectors.ts'

describe('the ranks of two samples', () => {
  it('are those of the vectors', () => {
    for (const { treat, ctrl, U } of VECTORS.u)
      expect(ranksOf(treat, ctrl)).to.deep.equal({ u: U, a: treat.length, b: ctrl.length })
  })

  it('count a tie one half, and scale the control', () => {
    expect(ranksOf([1, 2], [1, 1.5]).u).to.equal(2.5)
    expect(ranksOf([1, 2], [1, 1.5], 2).u).to.equal(0.5)
  })

  it('need no order, and change none', () => {
    const values = [3, 1, 2]
    expect(ranksOf(values, [2, 0]).u).to.equal(4.5)
    expect(values).to.deep.equal([3, 1, 2])
  })
})

describe('the ranks of two histograms', () => {
  it('are those of the vectors', () => {
    for (const { kt, kc, U } of VECTORS.u_hist) expect(ranksOfBuckets(kt, kc).u).to.equal(U)
  })

  it('know the sizes of both', () => expect(ranksOfBuckets([1, 2], [3, 4])).to.deep.equal({ u: 11.5, a: 3, b: 7 }))
})

describe('the ranks of bins', () => {
  const sorted = (counts: readonly number[]) => counts.map((count, bin) => [bin, count] as const)

  it('are those of the vectors', () => {
    for (const { kt, kc, U } of VECTORS.u_hist) expect(ranksOfBins(sorted(kt), sorted(kc), (bin) => bin).u).to.equal(U)
  })

  it('are those of buckets that are moved, and need no bin in both arms', () => {
    const [own, others] = [
      [0, 2, 5, 1],
      [4, 0, 1, 3],
    ]
    for (const by of [0, 1, 2]) {
      const moved = [...Array.from({ length: by }, () => 0), ...others]
      const wide = [...own, ...Array.from({ length: by }, () => 0)]
      expect(ranksOfBins(sorted(own), sorted(others), (bin) => bin + by)).to.deep.equal(ranksOfBuckets(wide, moved))
    }
    expect(ranksOfBins([[9, 2]], [[1, 3]], (bin) => bin)).to.deep.equal({ u: 6, a: 2, b: 3 })
    expect(ranksOfBins([], [[1, 3]], (bin) => bin)).to.deep.equal({ u: 0, a: 0, b: 3 })
  })
})
