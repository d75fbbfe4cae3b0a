import { expect } from 'chai'
import { viewAnalysis } from '../../../common/view/analysis.ts'
import { anAnalysisRun, aToldExperiment } from './some-view.ts'

const analysis = {
  run: 'r',
  verdict: 'Wait',
  reason: 'Measuring',
  message: 'm\u001b[1m',
  since: 'now',
  attempt: 1,
} as const

describe('the analysis of a view', () => {
  it('has the metrics of its run, without what the engine remembers, and with safe texts', () => {
    const run = anAnalysisRun()
    const [metric] = run.status?.metrics ?? []
    if (!run.status || !metric) throw new Error('no metric')
    const odd = { ...metric, name: 'a\u202eb', safe: [{ part: 'x\u0000', logE: 1, needs: 3 }] }
    const found = viewAnalysis(aToldExperiment({ analysis }), { ...run, status: { ...run.status, metrics: [odd] } })
    expect(found).to.include({ run: 'r', verdict: 'Wait', reason: 'Measuring', message: 'm\\u001b[1m' })
    expect(found?.metrics[0]).to.deep.include({ name: 'a\\u202eb', safe: [{ part: 'x\\u0000', logE: 1, needs: 3 }] })
    expect(found?.metrics[0]).to.include.keys('samples', 'harm', 'effect', 'pods', 'trace')
    expect(found?.metrics[0]).to.not.have.any.keys('state', 'memory', 'twin')
  })

  it('has no metrics where the run was not read, and there is none without an analysis', () => {
    expect(viewAnalysis(aToldExperiment({ analysis }), undefined)?.metrics).to.deep.equal([])
    expect(viewAnalysis(aToldExperiment(), anAnalysisRun())).to.equal(undefined)
  })
})
