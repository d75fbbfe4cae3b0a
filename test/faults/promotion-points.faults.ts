import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesProduct } from '../integration/product.ts'
import { killedAnywhere, usesHistory } from './crash/declare.ts'
import { PROMOTIONS } from './crash/promotions.ts'
import * as alone from './crash/run.ts'

/** For one scenario: a canary with its promotion writes three times as often as a creation. */
const LIMIT_MS = 3_600_000
/** Half as many as of other scenarios: each makes several times as many pods. */
const LANES = 8

describe('a controller that is killed at any write of a promotion, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  usesProduct(WITH_PROMOTION)
  const history = usesHistory()
  const plans = PROMOTIONS.map((scenario) => ({ scenario, runner: alone }))
  killedAnywhere({ row: 'F34', plans, lanes: LANES, history })
})
