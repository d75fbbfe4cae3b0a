import { expect } from 'chai'
import { runSituation } from '../../../common/view/run-situation.ts'
import { anExperiment } from '../../builders.ts'
import { aPausedRun, someViewFacts, viewFactsOf } from './some-view.ts'

describe('the situation of a view', () => {
  it('has the run as the status stores it', () => {
    const run = aPausedRun()
    const { run: state, storedRun } = runSituation(viewFactsOf(run))
    expect(state?.run.stepIndex).to.equal(1)
    expect(state?.run.revision).to.equal(run.strategy()?.revision)
    expect(storedRun).to.equal(state)
  })

  it('has no run without a strategy, and also for a kind that this version does not know', () => {
    expect(runSituation(someViewFacts()).run).to.equal(undefined)
    const experiment = anExperiment({ sourceRef: { kind: 'DaemonSet', name: 'cart' }, promotion: {} })
    expect(runSituation(someViewFacts({ experiment })).run?.target).to.equal(undefined)
  })
})
