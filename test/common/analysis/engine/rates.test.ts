import { expect } from 'chai'
import { noRateState, type RateWindow, rateEvidence, withRateWindow } from '../../../../common/analysis/engine/rates.ts'
import type { Counts } from '../../../../common/analysis/engine/steps.ts'
import { areNear, countsOf, type Row, VECTORS } from './vectors.ts'

const windowOf = (all: Counts): RateWindow => ({ all, harm: all, ofHarm: [], ofSafety: [] })
const MARGINS = { tolerance: 0.2, maxRegression: 1, acceptable: 0 }

/** The evidence after equal windows. */
function evidenceAfter(windows: number, window: RateWindow, margins = MARGINS, dispersion = 1) {
  let state = noRateState(margins)
  for (let index = 0; index < windows; index += 1) state = withRateWindow(state, window, margins)
  return rateEvidence(state, margins, dispersion)
}

describe('rates', () => {
  for (const [index, { rows, out, ...margins }] of VECTORS.error_rate.entries())
    it(`are as safe as those of vector ${index} after each window`, () => {
      let state = noRateState(margins)
      for (const [at, row] of rows.entries()) {
        state = withRateWindow(state, windowOf(countsOf(row)), margins)
        areNear([rateEvidence(state, margins, 1).safe.all], [out[at]?.safety ?? 0])
      }
    })

  it('are only compared where no rate is acceptable by itself', () => {
    const window = windowOf(countsOf([8, 1_000, 3, 3_000]))
    const [harm, acceptable] = [evidenceAfter(9, window), evidenceAfter(9, window, { ...MARGINS, acceptable: 0.01 })]
    expect(harm.harm.all).to.be.above(Math.log(40))
    expect(acceptable.harm.all).to.be.below(0)
  })

  it('N39: are no worse for a window with many errors than a window can be', () => {
    const burst = (errors: number) => evidenceAfter(1, windowOf(countsOf([errors, 300, 0, 1_800]))).harm.all
    expect(burst(300)).to.equal(burst(1))
    expect(burst(300)).to.be.below(Math.log(40))
  })

  it('N39: are harmful by the exposure that is allowed, and safe by that which was counted', () => {
    const [all, harm] = [countsOf([8, 30, 3, 1_800]), countsOf([8, 300, 3, 1_800])]
    const found = evidenceAfter(9, { ...windowOf(all), harm })
    expect(found.harm).to.deep.equal(evidenceAfter(9, windowOf(harm)).harm)
    expect(found.safe).to.deep.equal(evidenceAfter(9, windowOf(all)).safe)
  })

  it('N38: are harmful without a place only by what the other pods had', () => {
    const [bad, good]: readonly Row[] = [
      [30, 300, 3, 1_800],
      [1, 300, 3, 1_800],
    ]
    const all = countsOf([31, 600, 3, 1_800])
    const window = {
      ...{ all, harm: all },
      ofHarm: [good, bad].map((row) => countsOf(row ?? [0, 0, 0, 0])),
      ofSafety: [],
    }
    const { harm } = evidenceAfter(20, window, { ...MARGINS, acceptable: 0.01 })
    expect(harm.all).to.be.above(Math.log(40))
    expect(harm.without.map((log) => log > Math.log(40))).to.deep.equal([false, true])
  })

  it('N39: are less safe the more events come together, and where more is better also less harmful', () => {
    const safe = (dispersion: number) =>
      evidenceAfter(5, windowOf(countsOf([20, 1_000, 60, 3_000])), MARGINS, dispersion)
    expect(safe(4).safe.all).to.be.closeTo(safe(1).safe.all / 4, 1e-12)
    const better = (dispersion: number) =>
      evidenceAfter(5, windowOf(countsOf([900, 1_000, 300, 1_000])), { ...MARGINS, ...{ areGood: true } }, dispersion)
    expect(better(1).harm.all).to.be.above(Math.log(40))
    expect(better(4).harm.all).to.be.closeTo(better(1).harm.all / 4, 1e-12)
  })
})
