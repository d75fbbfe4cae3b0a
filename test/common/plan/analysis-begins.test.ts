import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { CR_NAME, EXPERIMENT_ID, SOURCE_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { lagOf } from '../../../common/plan/analysis.ts'
import { experimentId, sourceId } from '../../../common/workload/identity.ts'
import { ANALYSIS, anAnalysis, DECIDED, told } from './an-analysis.ts'
import { SimulatedAnalyses } from './simulated-analyses.ts'
import { aRun, aRunExperiment } from './some-run.ts'

type Analysis = ReturnType<typeof anAnalysis>

/** Its fork has not got ready in time. */
function overdue(fork: KubeObject | undefined): KubeObject {
  if (!fork) throw new Error('there is a fork')
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too late' }]
  const counts = { observedGeneration: fork.metadata.generation ?? 1, replicas: 1, updatedReplicas: 1 }
  return { ...fork, status: { ...counts, conditions } }
}
const verdictOf = ({ analyses: { run } }: Pick<Analysis, 'analyses'>) =>
  run?.status && `${run.status.verdict} ${run.status.reason}`

describe('the run of an analysis', () => {
  it('is found by its experiment and by its source', () => {
    const { analyses, world } = anAnalysis()
    const { uid, name } = world.experiment.metadata
    expect(analyses.run?.metadata.labels).to.deep.equal({
      [EXPERIMENT_ID]: experimentId(uid),
      [CR_NAME]: name,
      [SOURCE_ID]: sourceId(world.experiment),
    })
  })
})

describe('an analysis whose fork', () => {
  it('is settled as soon as it is written needs another pass, which begins it', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, analysis: ANALYSIS }), { analyses: new SimulatedAnalyses() })
    const waits = () => {
      const { writes, conclusion } = run.pass()
      return [...told(writes), conclusion.analysis?.waitsForFork]
    }
    expect(waits()).to.deep.equal(['apply newFork', true])
    expect(waits()).to.deep.equal(['create analysisRun', true])
    expect(waits()).to.deep.equal(['apply fork', false]) // the annotation
  })

  it('N24: is settled says that it waits for warmUpSeconds, not for the fork', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, analysis: ANALYSIS }), { analyses: new SimulatedAnalyses() })
    const message = () => run.pass().conclusion.analysis?.message
    expect(message()).to.equal('waiting for the fork')
    message()
    expect(message()).to.equal('waiting for pods of both versions that are Ready for warmUpSeconds')
  })

  it('never got ready begins, so that it can say so, and ends in a later pass', () => {
    const analyses = new SimulatedAnalyses()
    const experiment = aRunExperiment({ strategy: undefined, analysis: ANALYSIS })
    const run = aRun(experiment, { analyses, isHealthy: false })
    run.rest()
    run.world.fork = overdue(run.world.fork)
    expect(told(run.pass().writes)).to.deep.equal(['create analysisRun'])
    expect(told(run.pass().writes)).to.deep.equal(['apply fork']) // the annotation
    expect(told(run.pass().writes)).to.deep.equal(['patch analysisRun'])
    expect(verdictOf({ analyses })).to.equal('Fail NotHealthy')
    run.world.isHealthy = true
    run.rest()
    expect([run.pods(), run.reasonOf('Stalled')]).to.deep.equal([0, 'RolledBack'])
  })

  it('does not get ready any more fails once, with its message', () => {
    const analysis = anAnalysis()
    analysis.world.isHealthy = false
    analysis.world.fork = overdue(analysis.world.fork)
    expect(told(analysis.pass().writes)).to.deep.equal(['patch analysisRun'])
    expect(analysis.status()?.message).to.contain('too late')
    expect(told(analysis.pass().writes)).to.not.include('patch analysisRun')
  })

  it('does not get ready any more fails, whatever was measured meanwhile', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Pass')
    analysis.world.isHealthy = false
    analysis.world.fork = overdue(analysis.world.fork)
    analysis.pass()
    expect(verdictOf(analysis)).to.equal('Fail NotHealthy')
  })

  it('does not get ready any more fails although it has passed, if it goes on', () => {
    const [over, goesOn] = [false, true].map((continueAfterPass) => {
      const analysis = anAnalysis({ analysis: { ...ANALYSIS, continueAfterPass } })
      analysis.decides('Pass')
      analysis.world.isHealthy = false
      analysis.world.fork = overdue(analysis.world.fork)
      analysis.pass()
      return verdictOf(analysis)
    })
    expect([over, goesOn]).to.deep.equal(['Pass Passed', 'Fail NotHealthy'])
  })

  it('has other pods than wanted does not begin', () => {
    const analysis = anAnalysis()
    analysis.analyses.forget()
    analysis.edit({ strategy: undefined, analysis: { ...ANALYSIS, attempt: 2 }, replicas: 3 })
    analysis.world.isHealthy = false
    expect(told(analysis.rest())).to.deep.equal(['apply fork'])
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'NoPods' })
  })
})

describe('an analysis that was not ready', () => {
  const missing = { ...ANALYSIS, metrics: [{ ...DECIDED, provider: 'later' }] }

  it('begins when its provider is there', () => {
    const analysis = anAnalysis({ analysis: missing })
    expect(analysis.analyses.runs).to.deep.equal([])
    analysis.analyses.provider = 'later'
    expect(told(analysis.rest())).to.deep.equal(['create analysisRun', 'apply fork'])
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'NoPods' })
  })

  it('says the field that has to be changed', () => {
    const wrong = { name: 'decided', kind: 'Decision', provider: 'plugin', prometheus: {} } as const
    const analysis = anAnalysis({ analysis: { ...ANALYSIS, metrics: [wrong] } })
    expect(analysis.analyses.runs).to.deep.equal([])
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'AnalysisNotReady' })
    expect(analysis.status()?.message).to.match(/^spec\.analysis\.metrics\[0\]\.provider: /)
  })

  it('goes on without its provider once it has begun: the poller says what it does not get', () => {
    const analysis = anAnalysis()
    analysis.analyses.provider = 'later'
    expect(analysis.pass()).to.have.property('arms')
    expect(analysis.decides('Pass')).to.include('patch analysisRun')
    expect(analysis.status()?.verdict).to.equal('Pass')
  })
})

describe('a poll', () => {
  it('of another question is not recorded', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    const { poll } = analysis.analyses
    analysis.edit({ strategy: undefined, analysis: { ...ANALYSIS, attempt: 2 } })
    analysis.rest()
    expect(analysis.analyses.poll).to.equal(poll)
    expect(verdictOf(analysis)).to.equal(undefined)
  })

  it('that is older than the last look is not recorded', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    const { poll } = analysis.analyses
    analysis.decides('Wait')
    analysis.analyses.poll = poll
    expect(told(analysis.rest())).to.deep.equal([])
    expect(verdictOf(analysis)).to.equal('Wait Measuring')
  })

  it('has a look after it: later by the lag of its provider', () => {
    const { analyses } = anAnalysis()
    expect(lagOf({ analysis: { ...analyses.facts, providers: unknown('x') } }, 'plugin')).to.equal(0)
    expect(lagOf({ analysis: undefined }, 'plugin')).to.equal(0)
    const spec = { type: 'NewRelic', region: 'EU', accountId: 1, namespaceSelector: {} } as const
    const providers = known(
      new Map([
        ['relic', known({ metadata: { name: 'relic' }, spec })],
        ['kubernetes', known({ metadata: { name: 'kubernetes' }, spec })],
        ['broken', unknown('spec.type: wrong')],
      ]),
    )
    const lags = ['relic', 'broken', 'none', 'kubernetes'].map((name) =>
      lagOf({ analysis: { ...analyses.facts, providers } }, name),
    )
    expect(lags).to.deep.equal([60, 0, 0, 0])
  })
})
