import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { WITH_ANALYSIS } from '../../sandbox/installation.ts'
import { type Prometheus, startPrometheus } from '../../sandbox/prometheus/server.ts'
import { usesControlPlane } from '../integration/fixture.ts'
import { usesProduct } from '../integration/product.ts'
import { analyses, withProvider } from './crash/analyses.ts'
import { killedAnywhere, usesHistory } from './crash/declare.ts'
import * as alone from './crash/run.ts'

/** For one scenario. */
const LIMIT_MS = 3_600_000
/** Fewer than in other scenarios: a verdict waits for the clock, so a machine that is behind shows in it. */
const LANES = 10

describe('a controller that is killed at any write of an analysis, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  const plane = usesControlPlane()
  usesProduct(WITH_ANALYSIS)
  let prometheus: Prometheus | undefined
  before('Prometheus runs', async function () {
    this.timeout(60_000)
    const folder = await mkdtemp(join(plane().stateDirectory, 'prometheus-'))
    const started = await startPrometheus({ supervise: plane().supervise, folder })
    if ('unavailable' in started) {
      console.error(`no real Prometheus here: ${started.unavailable}`)
      this.skip()
    }
    prometheus = started
    await withProvider(started)
  })
  const running = () => {
    if (!prometheus) throw new Error('Prometheus runs while tests run')
    return prometheus
  }
  const history = usesHistory()
  const plans = analyses(running).map((scenario) => ({ scenario, runner: alone }))
  killedAnywhere({ row: 'F42', plans, lanes: LANES, history })
})
