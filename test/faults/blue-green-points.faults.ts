import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesProduct } from '../integration/product.ts'
import { BLUE_GREENS } from './crash/blue-greens.ts'
import { killedAnywhere, usesHistory } from './crash/declare.ts'
import * as alone from './crash/run.ts'

/** For one scenario. */
const LIMIT_MS = 3_600_000

describe('a controller that is killed at any write of a blue-green, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  usesProduct(WITH_CUT_OVER)
  const history = usesHistory()
  killedAnywhere({ row: 'F41', plans: BLUE_GREENS.map((scenario) => ({ scenario, runner: alone })), history })
})
