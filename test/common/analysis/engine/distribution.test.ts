import { expect } from 'chai'
import {
  binAt,
  bucketsIn,
  merged,
  ofSamples,
  placeAt,
  totalOf,
  widerBins,
  widerBucket,
} from '../../../../common/analysis/engine/distribution.ts'

describe('bins', () => {
  const bins = new Map([
    [3, 2],
    [-1, 6],
    [9, 0],
    [5, 2],
  ])

  it('are counted and merged', () => {
    expect(totalOf(bins)).to.equal(10)
    expect([...merged(bins, new Map([[3, 1]]))].sort()).to.deep.equal(
      [...bins, [3, 3]].filter(([bin, count]) => bin !== 3 || count === 3).sort(),
    )
  })

  it('tell where a part of all requests is reached', () => {
    expect([0, 0.5, 0.6, 0.61, 0.8, 0.81, 1].map((part) => binAt(bins, part))).to.deep.equal([-1, -1, -1, 3, 3, 5, 5])
    expect(binAt(new Map(), 0.5)).to.equal(undefined)
  })

  it('tell how far into a bin that is', () => {
    expect([0, 0.3, 0.6, 0.7, 0.8, 1].map((part) => placeAt(bins, part))).to.deep.equal([-2, -1.5, -1, 2.5, 3, 5])
    expect(placeAt(new Map(), 0.5)).to.equal(undefined)
  })
})

describe('the distribution of samples', () => {
  it('has bins that are an eighth of a doubling, closed above', () => {
    const { treatment, boundOf } = ofSamples([1, 1.01, 2, 0.5, 0, 1e300], [])
    expect([...treatment.keys()].sort((one, other) => one - other)).to.deep.equal([-400, -8, 0, 1, 8, 400])
    expect([boundOf(8), boundOf(0), boundOf(-8)]).to.deep.equal([2, 1, 0.5])
  })

  it('counts what is above a bound, with the control scaled', () =>
    expect(ofSamples([1, 2, 3], [1, 2]).above(2, 0.5)).to.deep.equal({
      events: 1,
      exposure: 3,
      controlEvents: 1,
      controlExposure: 2,
    }))
})

describe('wider buckets', () => {
  const ratio = (schema: number) => 2 ** (2 ** -schema)

  it('are whole numbers of others', () => {
    expect([bucketsIn(2, Math.SQRT2), bucketsIn(ratio(-4), ratio(8)), bucketsIn(2, 2)]).to.deep.equal([2, 4_096, 1])
    expect([bucketsIn(Math.SQRT2, 2), bucketsIn(2, 1.5)]).to.deep.equal([undefined, undefined])
  })

  it('end where the last bucket in them ends', () =>
    expect([-4, -3, -1, 0, 1, 2, 3].map((k) => widerBucket(k, 2))).to.deep.equal([-2, -1, 0, 0, 1, 1, 2]))

  it('have bins that are joined only where they are wider than bins were', () => {
    const bins = new Map([
      [-1, 5],
      [0, 1],
      [3, 2],
    ])
    for (const finer of [6, 4]) expect(widerBins(bins, ratio(finer), 2)).to.deep.equal(bins)
    const joined = new Map([
      [0, 6],
      [2, 2],
    ])
    expect(widerBins(bins, ratio(3), 2)).to.deep.equal(joined)
    expect(widerBins(bins, ratio(5), 8)).to.deep.equal(joined)
  })
})
