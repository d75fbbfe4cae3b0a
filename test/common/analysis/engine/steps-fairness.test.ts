import { expect } from 'chai'
import { added, mixture } from '../../../../common/analysis/engine/mixture.ts'
import { ranksOf } from '../../../../common/analysis/engine/ranks.ts'
import { jointShareSteps, oddsSteps, partSteps, shareSteps, WAGERS } from '../../../../common/analysis/engine/steps.ts'
import { rankSteps } from './vectors.ts'

/** Each way to choose `size` of the numbers under `count`. */
function* choices(count: number, size: number, from = 0): Generator<readonly number[]> {
  if (size === 0) yield []
  else
    for (let first = from; first <= count - size; first += 1)
      for (const others of choices(count, size - 1, first + 1)) yield [first, ...others]
}

/** The mean of e over all ways in which `values` may belong to the treatment: none is likelier without harm. */
function meanOver(
  values: readonly number[],
  size: number,
  logE: (own: readonly number[], others: readonly number[]) => number,
) {
  let [sum, count] = [0, 0]
  for (const chosen of choices(values.length, size)) {
    const own = chosen.map((index) => values[index] ?? 0)
    const others = values.filter((_, index) => !chosen.includes(index))
    sum += Math.exp(logE(own, others))
    count += 1
  }
  return sum / count
}

const SAMPLES: Readonly<Record<string, readonly number[]>> = {
  'without ties': [1, 2, 3, 4, 5, 6, 7, 8, 9],
  'with ties': [1, 1, 1, 2, 2, 3, 7, 7, 7],
  'all equal': [4, 4, 4, 4, 4, 4, 4, 4, 4],
}

describe('a bet wins nothing on average where both arms are alike', () => {
  for (const [what, values] of Object.entries(SAMPLES))
    for (const side of [1, -1] as const)
      it(`on ranks, ${what}, side ${side}`, () => {
        for (const size of [1, 3, 6]) {
          const mean = meanOver(values, size, (own, others) => mixture(rankSteps(ranksOf(own, others), side)))
          expect(mean).to.be.at.most(1 + 1e-12)
          if (what === 'without ties') expect(mean).to.be.closeTo(1, 1e-9)
        }
      })

  for (const side of [1, -1] as const)
    it(`on odds, side ${side}`, () => {
      const events = [1, 1, 1, 0, 0, 0, 0, 0, 0]
      const total = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0)
      for (const size of [1, 4, 7]) {
        const mean = meanOver(events, size, (own, others) => {
          const counts = {
            events: total(own),
            exposure: own.length,
            controlEvents: total(others),
            controlExposure: others.length,
          }
          return mixture(oddsSteps(counts, 1, side))
        })
        expect(mean).to.be.closeTo(1, 1e-9)
      }
    })

  it('N39: on shares, however many events come together', () => {
    const total = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0)
    for (const events of [
      [1, 1, 1, 0, 0, 0, 0, 0],
      [50, 3, 1, 0, 0, 0, 0, 0],
      [0, 0, 10, 10, 10, 10, 0, 0],
    ])
      for (const size of [1, 3, 6]) {
        const mean = meanOver(events, size, (own, others) =>
          mixture(
            shareSteps(
              {
                ...{ events: total(own), exposure: own.length },
                ...{ controlEvents: total(others), controlExposure: others.length },
              },
              1,
            ),
          ),
        )
        expect(mean).to.be.closeTo(1, 1e-9)
      }
  })

  it('N44: on shares of strata together, also where a cluster of events is of several strata', () => {
    const exposures = [
      { exposure: 1, controlExposure: 3 },
      { exposure: 2, controlExposure: 6 },
    ]
    /** The mean of e if a cluster of ten events of each stratum comes to one of four pods, one of them of the fork. */
    const mean = (steps: (strata: readonly Parameters<typeof shareSteps>[0][]) => readonly number[]) => {
      const of = (own: boolean) =>
        exposures.map((each) => ({ ...each, events: own ? 10 : 0, controlEvents: own ? 0 : 10 }))
      const e = (own: boolean) => Math.exp(mixture(steps(of(own))))
      return e(true) / 4 + (3 * e(false)) / 4
    }
    expect(mean((strata) => jointShareSteps(strata, 1))).to.be.closeTo(1, 1e-9)
    const oneByOne = mean((strata) => strata.map((each) => shareSteps(each, 1)).reduce(added))
    expect(oneByOne, 'as if each stratum had clusters of its own').to.be.above(1.2)
  })

  it('N44: on shares of one stratum, as without strata', () => {
    const one = { events: 4, exposure: 50, controlEvents: 7, controlExposure: 200 }
    const silent = { ...one, exposure: 0 }
    for (const strata of [[one], [silent, one, { ...one, controlExposure: 0 }]])
      for (const [index, step] of jointShareSteps(strata, 1.2).entries())
        expect(step).to.be.closeTo(shareSteps(one, 1.2)[index] ?? 0, 1e-12)
    expect(jointShareSteps([], 1.2)).to.deep.equal(WAGERS.map(() => 0))
  })

  it('N39: on the part of the requests that are events, at exactly the rate', () => {
    const mean = [0, 0, 0, 10].map((events) => Math.exp(mixture(partSteps({ events, exposure: 10 }, 0.25))))
    expect(mean.reduce((sum, one) => sum + one / 4, 0)).to.be.closeTo(1, 1e-9)
  })

  it('on shares, and says nothing without events or exposure', () => {
    const none = WAGERS.map(() => 0)
    const counts = { events: 1, exposure: 5, controlEvents: 0, controlExposure: 5 }
    expect(shareSteps({ ...counts, events: 0 }, 1)).to.deep.equal(none)
    expect(shareSteps({ ...counts, exposure: 0 }, 1)).to.deep.equal(none)
    expect(shareSteps({ ...counts, controlExposure: 0 }, 1)).to.deep.equal(none)
    expect(partSteps({ events: 0, exposure: 0 }, 0.1)).to.deep.equal(none)
  })
})
