import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { usesProduct } from '../integration/product.ts'
import { killedAnywhere, usesHistory } from './crash/declare.ts'
import { INSIDE } from './crash/inside.ts'
import * as alone from './crash/run.ts'

/** For one scenario: a promotion inside its source writes most of all. */
const LIMIT_MS = 3_600_000

describe('a controller that is killed at any write inside the size of a source, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  usesProduct(WITH_PROMOTION)
  const history = usesHistory()
  const plans = INSIDE.map((scenario) => ({ scenario, runner: alone }))
  killedAnywhere({ row: 'F34', plans, history })
})
