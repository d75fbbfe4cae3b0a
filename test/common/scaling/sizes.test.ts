import { expect } from 'chai'
import fc from 'fast-check'
import { boundsOf, insideAtPromotion, insideAtWeight } from '../../../common/scaling/sizes.ts'
import '../../property.ts'

const LIMITS = { maxSurge: '25%', maxUnavailable: 0 }
const at = (weight: number, size: number, of: object = LIMITS) => {
  const { fork, source } = insideAtWeight(weight, size, boundsOf(size, { ...LIMITS, ...of }))
  return `${fork} + ${source}`
}

const WEIGHTS: Readonly<Record<string, readonly [found: string, wanted: string]>> = {
  '20 % of 5': [at(20, 5), '1 + 4'],
  '40 % of 5': [at(40, 5), '2 + 3'],
  '60 % of 5': [at(60, 5), '3 + 2'],
  '80 % of 5': [at(80, 5), '4 + 1'],
  '5 % of 10, as in Argo': [at(5, 10), '1 + 9'],
  '50 % of 5, a tie, for the smaller': [at(50, 5), '2 + 3'],
  '95 % of 3, with one pod left': [at(95, 3), '3 + 1'],
  '50 % of 1': [at(50, 1), '1 + 1'],
  '95 % of 3 without a surge': [at(95, 3, { maxSurge: 0, maxUnavailable: 1 }), '2 + 1'],
  '0 % of 5': [at(0, 5), '0 + 5'],
  '50 % of no pods': [at(50, 0), '0 + 0'],
}

describe('the sizes of a canary inside its source', () => {
  for (const [what, [found, wanted]] of Object.entries(WEIGHTS))
    it(`are ${wanted} at ${what}`, () => expect(found).to.equal(wanted))

  it('let one pod be unavailable where rounding makes 0 of both limits', () =>
    expect(boundsOf(3, { maxSurge: '0%', maxUnavailable: '25%' })).to.deep.equal({ most: 3, least: 2 }))

  it('are one pod of the source and the others of the fork at the promotion', () =>
    expect(insideAtPromotion(5, boundsOf(5, LIMITS), { takesDown: false, surge: 1 })).to.deep.equal({
      fork: 4,
      source: 1,
    }))

  it('have one more of the fork where the rollout takes the only pod down', () =>
    expect(insideAtPromotion(5, boundsOf(5, LIMITS), { takesDown: true, surge: 0 })).to.deep.equal({
      fork: 5,
      source: 1,
    }))

  it('are within the bounds, whatever the weight', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 0, max: 99 }),
        fc.nat({ max: 3 }),
        (size, weight, surge) => {
          const limits = { maxSurge: surge, maxUnavailable: surge === 0 ? 1 : 0 }
          const bounds = boundsOf(size, limits)
          for (const { fork, source } of [
            insideAtWeight(weight, size, bounds),
            insideAtPromotion(size, bounds, { takesDown: false, surge: 0 }),
            insideAtPromotion(size, bounds, { takesDown: true, surge: 0 }),
          ]) {
            expect(fork + source).to.be.at.most(bounds.most)
            expect(fork + source).to.be.at.least(bounds.least)
            expect(source).to.be.at.least(1)
          }
        },
      ),
    ))
})
