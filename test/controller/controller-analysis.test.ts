import { expect } from 'chai'
import { ANALYSIS_RUN } from '../../common/api/names.ts'
import { installing } from '../builders.ts'
import { aRun } from './analysis/a-run.ts'
import { GROUP, running, versioned } from './running.ts'

const RUN = `${GROUP}/namespaces/shop/experimentanalysisruns/run-1`

describe('the controller, with analyses', () => {
  it('measures the stored runs, and what waits for a pass', async () => {
    const { controller } = running({ [RUN]: versioned({ ...ANALYSIS_RUN, ...aRun() }) }, installing('analysis'))
    await controller.start()
    const { runs, waiting, lagMs } = controller.measured.analysis ?? {}
    expect(runs?.()).to.deep.equal([aRun()])
    expect([waiting?.(), lagMs?.()]).to.deep.equal([0, 0])
    await controller.stop()
  })

  it('measures nothing of them without the component', () =>
    expect(running().controller.measured.analysis).to.equal(undefined))
})
