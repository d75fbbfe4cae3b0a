import { expect } from 'chai'
import { zeros } from '../../../../common/analysis/engine/mixture.ts'
import { type RateState, rateEvidence, withRateWindow } from '../../../../common/analysis/engine/rates.ts'
import { FACTORS } from '../../../../common/analysis/engine/steps.ts'
import { areNear, countsOf, VECTORS } from './vectors.ts'

const NONE = zeros(FACTORS.length)
const NO_RATE_STATE: RateState = { harm: NONE, fixedHarm: NONE, safe: NONE, fixedSafe: NONE }

describe('rates', () => {
  for (const [index, { rows, out, ...margins }] of VECTORS.error_rate.entries())
    it(`are those of vector ${index} after each window`, () => {
      let state = NO_RATE_STATE
      for (const [at, row] of rows.entries()) {
        state = withRateWindow(state, countsOf(row), margins)
        const { harm, safe } = rateEvidence(state, margins)
        areNear([harm, safe], [out[at]?.harm ?? 0, out[at]?.safety ?? 0])
      }
    })

  it('are only compared where no rate is acceptable by itself', () => {
    const margins = { tolerance: 0.2, maxRegression: 1, acceptable: 0 }
    const state = withRateWindow(NO_RATE_STATE, countsOf([8, 169, 11, 626]), margins)
    expect(state.fixedHarm).to.deep.equal(NO_RATE_STATE.fixedHarm)
    expect(rateEvidence(state, margins).harm).to.be.above(rateEvidence(state, { acceptable: 0.01 }).harm)
  })
})
