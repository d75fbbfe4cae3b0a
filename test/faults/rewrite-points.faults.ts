import { usesProduct } from '../integration/product.ts'
import { usesRolloutCrds } from '../integration/rollout-crds.ts'
import { killedAnywhere, usesHistory } from './crash/declare.ts'
import { REWRITES } from './crash/rewrites.ts'
import * as alone from './crash/run.ts'

/** For one scenario. */
const LIMIT_MS = 600_000

describe('a controller that is killed while it replaces the spec of a fork, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  usesRolloutCrds()
  usesProduct()
  const history = usesHistory()
  killedAnywhere({ row: 'F4', plans: REWRITES.map((scenario) => ({ scenario, runner: alone })), history })
})
