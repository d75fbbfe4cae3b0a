import { expect } from 'chai'
import { ANALYSIS, anAnalysis, DECIDED, told } from './an-analysis.ts'
import { START } from './some-run.ts'

type Analysis = ReturnType<typeof anAnalysis>
const DAY_S = 86_400
const verdictsOf = ({ analyses }: Analysis) => analyses.runs.map(({ status }) => status?.verdict)
const askAgain = (analysis: Analysis, attempt: number) =>
  analysis.edit({ strategy: undefined, analysis: { ...ANALYSIS, attempt } })

describe('the end of an analysis', () => {
  it('comes with the deletion of its experiment', () => {
    const analysis = anAnalysis()
    const { metadata, ...others } = analysis.world.experiment
    const deletionTimestamp = analysis.world.now.toISOString()
    analysis.world.experiment = { ...others, metadata: { ...metadata, deletionTimestamp } }
    expect(told(analysis.rest())).to.include('patch analysisRun')
    expect(verdictsOf(analysis)).to.deep.equal(['Aborted'])
  })

  it('comes with the expiry of its experiment, which says so', () => {
    const analysis = anAnalysis({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } })
    analysis.decides('Wait')
    analysis.wait(4_000)
    analysis.rest()
    expect(verdictsOf(analysis)).to.deep.equal(['Aborted'])
    expect(analysis.status()).to.deep.include({ verdict: 'Aborted', since: analysis.world.now.toISOString() })
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True Aborted', 'AnalysisPassed False Aborted'])
  })

  it('is told after the expiry also where that pass could not store its status', () => {
    const analysis = anAnalysis({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } })
    analysis.wait(4_000)
    const { status } = analysis.world.experiment
    analysis.rest()
    analysis.world.experiment = { ...analysis.world.experiment, ...(status ? { status } : {}) }
    expect(told(analysis.rest())).to.deep.equal([])
    expect(analysis.status()).to.deep.include({ verdict: 'Aborted' })
  })

  it('is told too where the analysis had not begun, or its record is gone', () => {
    const of = { ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } }
    const missing = { ...ANALYSIS, metrics: [{ ...DECIDED, provider: 'other' }] }
    const [never, passed] = [anAnalysis({ ...of, analysis: missing }), anAnalysis(of)]
    passed.decides('Pass')
    for (const analysis of [never, passed]) {
      analysis.wait(4_000)
      analysis.analyses.forget()
      analysis.rest()
    }
    expect(never.status()).to.deep.include({ verdict: 'Aborted', reason: 'Aborted' })
    expect(passed.status()).to.deep.include({ verdict: 'Pass', reason: 'Passed' })
  })

  it('never takes a Pass back, also of an analysis that went on', () => {
    const of = { ...ANALYSIS, continueAfterPass: true }
    const analysis = anAnalysis({
      analysis: of,
      ttlSeconds: 3_600,
      metadata: { creationTimestamp: START.toISOString() },
    })
    analysis.decides('Pass')
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete False Passed', 'AnalysisPassed True Passed'])
    analysis.wait(4_000)
    analysis.rest()
    expect(verdictsOf(analysis)).to.deep.equal(['Pass'])
    expect(analysis.analyses.run?.status?.finishedAt).to.equal(analysis.world.now.toISOString())
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True Passed', 'AnalysisPassed True Passed'])
  })

  it('keeps a verdict: an expired experiment still tells it', () => {
    const analysis = anAnalysis({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } })
    analysis.decides('Fail')
    const before = analysis.status()
    analysis.wait(4_000)
    analysis.rest()
    expect(analysis.status()).to.deep.equal(before)
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True HarmFound', 'AnalysisPassed False HarmFound'])
  })

  it('is written once, with the version that it was computed from', () => {
    const analysis = anAnalysis()
    const { metadata } = analysis.analyses.run ?? {}
    askAgain(analysis, 2)
    const write = analysis.pass().writes.find(({ role }) => role === 'analysisRun')
    expect(write).to.deep.include({ verb: 'patch', subresource: 'status' })
    expect(write?.verb === 'patch' && write.patch.metadata).to.deep.equal({
      uid: metadata?.uid,
      resourceVersion: metadata?.resourceVersion,
    })
    expect(told(analysis.rest()).filter((each) => each === 'patch analysisRun')).to.deep.equal([])
  })
})

describe('the records of former analysis runs', () => {
  it('are ten', () => {
    const analysis = anAnalysis()
    for (let attempt = 2; attempt <= 14; attempt += 1) {
      analysis.wait(60)
      askAgain(analysis, attempt)
      analysis.rest()
    }
    const attempts = analysis.analyses.runs.map(({ spec }) => spec.attempt)
    expect(attempts).to.deep.equal([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(verdictsOf(analysis).filter((verdict) => verdict === 'Aborted')).to.have.length(10)
  })

  it('are deleted after seven days', () => {
    const analysis = anAnalysis()
    askAgain(analysis, 2)
    analysis.rest()
    analysis.wait(7 * DAY_S)
    expect(told(analysis.rest())).to.deep.equal([])
    analysis.wait(1)
    expect(told(analysis.rest())).to.deep.equal(['delete analysisRun'])
    expect(analysis.analyses.runs.map(({ spec }) => spec.attempt)).to.deep.equal([2])
  })

  it('do not include the verdict on the present question, however old it is', () => {
    const analysis = anAnalysis()
    analysis.decides('Fail')
    analysis.wait(30 * DAY_S)
    expect(told(analysis.rest())).to.deep.equal([])
    expect(analysis.pods()).to.equal(0)
  })

  it('stay while it is not known which fork is wanted: one of them may have its verdict', () => {
    const analysis = anAnalysis()
    analysis.decides('Fail')
    const { source } = analysis.world
    analysis.wait(30 * DAY_S)
    analysis.world.source = undefined
    expect(told(analysis.rest())).to.deep.equal([])
    analysis.world.source = source
    analysis.rest()
    expect(analysis.pods()).to.equal(0)
    expect(verdictsOf(analysis)).to.deep.equal(['Fail'])
  })

  it('are deleted of an experiment without an analysis too', () => {
    const analysis = anAnalysis()
    analysis.edit({ strategy: undefined, analysis: undefined } as never)
    analysis.rest()
    analysis.wait(7 * DAY_S + 1)
    expect(told(analysis.rest())).to.deep.equal(['delete analysisRun'])
    expect(analysis.analyses.runs).to.deep.equal([])
  })
})

describe('an analysis run that somebody deletes', () => {
  it('is made anew, without its evidence', () => {
    const analysis = anAnalysis()
    analysis.decides('Wait')
    analysis.analyses.forget()
    expect(told(analysis.rest())).to.deep.equal(['create analysisRun'])
    expect(analysis.analyses.run).to.not.have.property('status')
  })
})
