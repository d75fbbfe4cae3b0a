import { expect } from 'chai'
import fc from 'fast-check'
import { podsFor, weightWithin } from '../../../common/strategy/weight.ts'
import { percent } from '../../../common/text/percent.ts'
import { LAW } from '../../property.ts'

/** The pods of the fork beside so many pods of the source, and their share. */
const PODS: Readonly<Record<number, Readonly<Record<number, readonly [pods: number, share: string]>>>> = {
  1: { 5: [1, '50%'], 10: [1, '50%'], 20: [1, '50%'], 25: [1, '50%'], 33: [1, '50%'], 50: [1, '50%'] },
  4: { 5: [1, '20%'], 10: [1, '20%'], 20: [1, '20%'], 25: [1, '20%'], 33: [2, '33%'], 50: [4, '50%'] },
  10: { 5: [1, '9%'], 10: [1, '9%'], 20: [3, '23%'], 25: [3, '23%'], 33: [5, '33%'], 50: [10, '50%'] },
  50: { 5: [3, '6%'], 10: [6, '11%'], 20: [13, '21%'], 25: [17, '25%'], 33: [25, '33%'], 50: [50, '50%'] },
}

describe('the pods of a weight', () => {
  for (const [source, row] of Object.entries(PODS))
    for (const [weight, [pods, share]] of Object.entries(row))
      it(`S ${source}, ${weight} %: ${pods} ${pods === 1 ? 'pod' : 'pods'} (${share.replace('%', ' %')})`, () => {
        expect(podsFor(Number(weight), Number(source))).to.equal(pods)
        expect(percent(pods, pods + Number(source))).to.equal(share)
      })

  it('are none without a weight or without a source', () => {
    expect([podsFor(0, 10), podsFor(10, 0), podsFor(-1, 10), podsFor(0, 0)]).to.deep.equal([0, 0, 0, 0])
  })

  it('are the smaller number of two that are as near', () => {
    // 55 % of 2: 2 of 4 are 50 %, 3 of 5 are 60 %. 45 % of 3: 2 of 5 are 40 %, 3 of 6 are 50 %.
    expect([podsFor(55, 2), podsFor(45, 3)]).to.deep.equal([2, 2])
    expect([podsFor(56, 2), podsFor(46, 3)]).to.deep.equal([3, 3])
  })

  it('leave no side empty, and have a share that no other number comes nearer to', () => {
    const ofBoth = fc.record({ weight: fc.integer({ min: 1, max: 99 }), source: fc.integer({ min: 1, max: 2_000 }) })
    fc.assert(
      fc.property(ofBoth, ({ weight, source }) => {
        const pods = podsFor(weight, source)
        expect(Number.isSafeInteger(pods) && pods >= 1).to.equal(true)
        const distance = (of: number) => Math.abs(of / (of + source) - weight / 100)
        for (const other of [pods - 1, pods + 1])
          if (other >= 1) expect(distance(pods)).to.be.at.most(distance(other) + 1e-12)
      }),
      LAW,
    )
  })

  it('are not fewer for a larger weight', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 98 }), fc.integer({ min: 0, max: 5_000 }), (weight, source) => {
        expect(podsFor(weight, source)).to.be.at.most(podsFor(weight + 1, source))
      }),
      LAW,
    )
  })
})

describe('weightWithin', () => {
  const cases: readonly (readonly [pods: number, source: number, weight: number])[] = [
    [10, 10, 51],
    [1, 10, 12],
    [0, 10, 0],
    [3, 1, 77],
  ]
  for (const [pods, source, weight] of cases)
    it(`is ${weight} % for ${pods} pods beside ${source}`, () => expect(weightWithin(pods, source)).to.equal(weight))

  it('is the largest weight that so many pods allow', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 300 }), (pods, source) => {
        const weight = weightWithin(pods, source)
        expect(podsFor(weight, source)).to.be.at.most(pods)
        if (weight < 99) expect(podsFor(weight + 1, source)).to.be.above(pods)
      }),
    )
  })
})
