import { expect } from 'chai'
import type { AnalysisStatus } from '../../../common/api/analysis/analysis.ts'
import type { ConditionDraft } from '../../../common/api/conditions.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import type { AnalysisReport, Conclusion } from '../../../common/outcome/conclusion.ts'
import { analysisConditions } from '../../../common/plan/analysis-status.ts'
import { anExperiment } from '../../builders.ts'
import { analysisStatus, plan, statusOf as wholeStatusOf } from '../of-facts.ts'
import { ANALYSIS, anAnalysis, DECIDED } from './an-analysis.ts'
import { someFacts } from './some-facts.ts'

const SINCE = '2026-11-21T10:00:00.000Z'
const REPORT: AnalysisReport = {
  ...{ run: 'run', verdict: 'Wait', reason: 'Measuring', message: 'm', since: SINCE, attempt: 1 },
  ...{ metrics: [{ name: 'a', verdict: 'Wait' }], isFinal: false, waitsForFork: false },
}
const { isFinal: _isFinal, waitsForFork: _waits, ...TOLD } = REPORT

/** Facts and conclusion of a pass whose analysis says `report`. */
function passOf(report: AnalysisReport | undefined, status: ExperimentDeploymentStatus = {}, hasAnalysis = true) {
  const experiment = anExperiment({ status, ...(hasAnalysis ? { analysis: {} } : {}) })
  const facts = someFacts({ experiment })
  const conclusion: Conclusion = { ...plan(facts).conclusion, ...(report ? { analysis: report } : {}) }
  return [facts, conclusion] as const
}
const conditionsOf = (...of: Parameters<typeof passOf>) =>
  analysisConditions(...passOf(...of)).map((each: ConditionDraft) => `${each.type} ${each.status} ${each.reason}`)

describe('status.analysis', () => {
  const statusOf = (...of: Parameters<typeof passOf>): AnalysisStatus | undefined =>
    analysisStatus(...passOf(...of)).analysis

  it('is what the analysis says, without an empty list, which the API server would forget', () => {
    expect(statusOf(REPORT)).to.deep.equal({ ...TOLD, gatedDeployStatus: 'notSignificant' })
    expect(statusOf({ ...REPORT, metrics: [] })).to.not.have.property('metrics')
  })

  it('stays while the analysis says nothing, and goes with it', () => {
    expect(statusOf(undefined, { analysis: TOLD })).to.deep.include(TOLD)
    expect(statusOf(REPORT, { analysis: TOLD }, false)).to.equal(undefined)
  })

  it('has a new time when verdict or reason change, and only then', () => {
    const analysis = anAnalysis()
    const times = (['Wait', 'Wait', 'Pass'] as const).map((decision) => {
      analysis.decides(decision)
      return [analysis.status()?.reason, analysis.status()?.since]
    })
    const [first, , third] = [60, 120, 180].map((s) => new Date(Date.parse(SINCE) + 1_000 * s).toISOString())
    expect(times).to.deep.equal([
      ['Measuring', first],
      ['Measuring', first],
      ['Passed', third],
    ])
  })

  it('tells the verdict on each metric, and no numbers', () => {
    const metrics = [DECIDED, { ...DECIDED, name: 'other' }]
    const analysis = anAnalysis({ analysis: { ...ANALYSIS, metrics } })
    analysis.decides('Pass')
    expect(analysis.status()?.metrics).to.deep.equal([
      { name: 'decided', verdict: 'Pass' },
      { name: 'other', verdict: 'Wait' },
    ])
    expect(analysis.status()?.verdict).to.equal('Wait')
  })

  it('says the attempt of the question, also before there is a run', () => {
    const missing = { ...ANALYSIS, attempt: 7, metrics: [{ ...DECIDED, provider: 'other' }] }
    expect(anAnalysis({ analysis: missing }).status()).to.deep.include({ attempt: 7 })
    expect(anAnalysis({ analysis: missing }).status()).to.not.have.property('run')
  })

  it('says what is missing now, while nothing begins', () => {
    const analysis = anAnalysis({ analysis: { ...ANALYSIS, metrics: [{ ...DECIDED, provider: 'first' }] } })
    const before = analysis.status()
    analysis.edit({
      strategy: undefined,
      analysis: { ...ANALYSIS, metrics: [{ ...DECIDED, provider: 'second' }] },
    })
    analysis.wait(60)
    analysis.rest()
    expect(before?.message).to.contain('experimentanalysisprovider/first')
    expect(analysis.status()?.message).to.contain('experimentanalysisprovider/second')
    expect(analysis.status()?.since).to.equal(before?.since)
  })
})

describe('the word of Gated Deployments in the status', () => {
  const wordOf = (...of: Parameters<typeof passOf>) => analysisStatus(...passOf(...of)).analysis?.gatedDeployStatus

  it('N16: is notSignificant from the first moment on, before there is a fork or a source', () => {
    const experiment = anExperiment({ analysis: { attempt: 3 } })
    const facts = someFacts({ experiment, source: undefined })
    const first = analysisStatus(facts, plan(facts).conclusion).analysis
    expect(first).to.deep.equal({
      ...{ verdict: 'Wait', reason: 'NoPods', message: 'waiting for the fork', since: facts.now.toISOString() },
      ...{ attempt: 3, gatedDeployStatus: 'notSignificant' },
    })
    const later = someFacts({
      experiment: { ...experiment, status: { analysis: first as AnalysisStatus } },
      source: undefined,
      now: new Date(facts.now.getTime() + 60_000),
    })
    expect(analysisStatus(later, plan(later).conclusion).analysis).to.deep.equal(first)
  })

  it('N16: follows the verdict, also one that an earlier version has stored', () => {
    const words = ['Wait', 'Pass', 'Fail', 'Inconclusive', 'NoData', 'Error', 'Aborted'].map((verdict) => {
      const of = { verdict: verdict as AnalysisStatus['verdict'] }
      expect(wordOf(undefined, { analysis: { ...TOLD, ...of } })).to.equal(wordOf({ ...REPORT, ...of }))
      return wordOf({ ...REPORT, ...of })
    })
    const harm = 'harm'
    expect(words).to.deep.equal(['notSignificant', 'noHarm', ...[harm, harm, harm, harm, harm]])
  })

  it('N16: stays when the promotion has deleted the fork', () => {
    const promotion = { mode: 'Automatic' } as const
    const analysis = anAnalysis({ strategy: { canary: { steps: [{ setWeight: 50 }] } }, promotion })
    expect(analysis.status()?.gatedDeployStatus).to.equal('notSignificant')
    analysis.decides('Pass')
    for (let passes = 0; passes < 20; passes += 1) {
      analysis.wait(60)
      analysis.rest()
    }
    expect(analysis.world.experiment.status?.strategy?.phase).to.equal('Promoted')
    expect(analysis.world.fork).to.equal(undefined)
    expect(analysis.status()?.gatedDeployStatus).to.equal('noHarm')
  })

  it('N16: is harm where the run ends without a Pass, and waits again after retry', () => {
    const analysis = anAnalysis({ strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } })
    analysis.decides('Wait')
    analysis.say('abort')
    analysis.rest()
    expect([analysis.status()?.gatedDeployStatus, analysis.world.experiment.status?.strategy?.path]).to.deep.equal([
      ...['harm', 'Abort'],
    ])
    analysis.say('retry')
    analysis.rest()
    expect(analysis.status()?.gatedDeployStatus).to.equal('notSignificant')
  })

  it('N16: is harm after the end of an experiment of which nothing was asked', () => {
    const experiment = anExperiment({ analysis: {}, ttlSeconds: 1, metadata: { creationTimestamp: SINCE } })
    const facts = someFacts({ experiment, now: new Date(Date.parse(SINCE) + 5_000) })
    expect(analysisStatus(facts, plan(facts).conclusion).analysis).to.include({
      ...{ verdict: 'Aborted', gatedDeployStatus: 'harm' },
    })
  })
})

describe('the message of Ready', () => {
  const readyOfPass = (report: AnalysisReport) =>
    wholeStatusOf(...passOf(report)).conditions?.find(({ type }) => type === 'Ready')?.message

  it('N15: says that nothing is found of what an analysis asks for', () => {
    const none = { ...REPORT, reason: 'NoSeries', message: 'latency: no series' }
    expect(readyOfPass(none)).to.equal(`${readyOfPass(REPORT)}; analysis: latency: no series`)
    expect(readyOfPass({ ...none, verdict: 'NoData' })).to.contain('; analysis: latency: no series')
    expect(readyOfPass({ ...none, reason: 'NoTraffic' })).to.equal(readyOfPass(REPORT))
  })
})

describe('the conditions of an analysis', () => {
  it('say whether it is over, and whether it has passed', () => {
    const rows = [
      [{}, 'False Measuring', 'Unknown Measuring'],
      [{ verdict: 'Pass', reason: 'Passed', isFinal: true }, 'True Passed', 'True Passed'],
      [{ verdict: 'Pass', reason: 'Passed' }, 'False Passed', 'True Passed'],
      [{ verdict: 'Fail', reason: 'HarmFound', isFinal: true }, 'True HarmFound', 'False HarmFound'],
      [{ verdict: 'NoData', reason: 'NoPods', isFinal: true }, 'True NoPods', 'False NoPods'],
      [{ verdict: 'Error', reason: 'ProviderFailed', isFinal: true }, 'True ProviderFailed', 'False ProviderFailed'],
      [{ verdict: 'Inconclusive', reason: 'NotShown', isFinal: true }, 'True NotShown', 'False NotShown'],
      [{ verdict: 'Aborted', reason: 'Aborted', isFinal: true }, 'True Aborted', 'False Aborted'],
    ] as const
    for (const [of, complete, passed] of rows)
      expect(conditionsOf({ ...REPORT, ...of }), JSON.stringify(of)).to.deep.equal([
        `AnalysisComplete ${complete}`,
        `AnalysisPassed ${passed}`,
      ])
  })

  it('have a reason that is known, also of a run of another version', () =>
    expect(conditionsOf({ ...REPORT, reason: 'Unheard' })).to.deep.equal([
      'AnalysisComplete False Measuring',
      'AnalysisPassed Unknown Measuring',
    ]))

  it('stay as they are while the analysis says nothing, and go with it', () => {
    const condition = { reason: 'Passed', message: 'm', lastTransitionTime: SINCE, observedGeneration: 1 } as const
    const conditions = [
      { ...condition, type: 'Ready', status: 'True' },
      { ...condition, type: 'AnalysisComplete', status: 'True' },
      { ...condition, type: 'AnalysisPassed', status: 'True', reason: 'Unheard' },
    ] as const
    expect(conditionsOf(undefined, { conditions })).to.deep.equal(['AnalysisComplete True Passed'])
    expect(conditionsOf(undefined)).to.deep.equal([])
    expect(conditionsOf(REPORT, { conditions }, false)).to.deep.equal([])
  })
})
