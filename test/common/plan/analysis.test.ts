import { expect } from 'chai'
import { imageOverride } from '../../builders.ts'
import { ANALYSIS, anAnalysis, DECIDED, told } from './an-analysis.ts'
import { SimulatedAnalyses } from './simulated-analyses.ts'
import { aRun, aRunExperiment, type RunOf, START } from './some-run.ts'

describe('the analysis of an experiment, pass by pass', () => {
  it('has a run when its fork is ready, named after fork and question, and without an owner', () => {
    const { analyses, writes, status, world } = anAnalysis()
    expect(writes).to.deep.equal(['apply newFork', 'create analysisRun', 'apply fork'])
    const { metadata, spec } = analyses.run ?? {}
    expect(metadata?.name).to.match(/^cart-experiment-[0-9a-f]{10}-[0-9a-f]{10}$/)
    expect(spec).to.deep.include({ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 })
    expect(spec?.experiment).to.deep.equal({ name: 'faster-cart', uid: world.experiment.metadata.uid, generation: 1 })
    expect(spec?.metrics).to.deep.equal([{ ...DECIDED, dryRun: false }])
    expect(status()).to.deep.include({ run: metadata?.name, verdict: 'Wait', reason: 'NoPods', attempt: 1 })
  })

  it('has no run before its fork is ready', () => {
    const analyses = new SimulatedAnalyses()
    const run = aRun(aRunExperiment({ strategy: undefined, analysis: ANALYSIS }), { analyses, isHealthy: false })
    expect(told(run.rest())).to.deep.equal(['apply newFork'])
    run.world.isHealthy = true
    expect(analyses.run).to.equal(undefined)
  })

  it('has no run, and says why, while a provider is missing', () => {
    const missing = { ...ANALYSIS, metrics: [{ ...DECIDED, provider: 'other' }] }
    const { analyses, status, conditions } = anAnalysis({ analysis: missing })
    expect(analyses.run).to.equal(undefined)
    expect(status()).to.deep.include({ verdict: 'Wait', reason: 'AnalysisNotReady' })
    expect(status()?.message).to.contain('experimentanalysisprovider/other')
    expect(conditions()).to.deep.equal([
      'AnalysisComplete False AnalysisNotReady',
      'AnalysisPassed Unknown AnalysisNotReady',
    ])
  })

  it('records a poll once, and writes nothing without one', () => {
    const analysis = anAnalysis()
    expect(analysis.decides('Wait')).to.deep.equal(['patch analysisRun'])
    expect(analysis.analyses.run?.status).to.deep.include({ looks: 1, verdict: 'Wait', reason: 'Measuring' })
    analysis.wait(60)
    expect(told(analysis.rest())).to.deep.equal([])
  })

  it('passes, keeps its pods, and says so to scripts', () => {
    const analysis = anAnalysis()
    expect(analysis.verdict()).to.equal('notSignificant')
    expect(analysis.decides('Pass')).to.deep.equal(['patch analysisRun', 'apply fork'])
    expect(analysis.pods()).to.equal(1)
    expect(analysis.verdict()).to.equal('noHarm')
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True Passed', 'AnalysisPassed True Passed'])
    expect(analysis.decides('Fail')).to.deep.equal([])
  })

  it('takes the pods of a fork that fails, and only after the verdict was recorded', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    expect(told(analysis.pass().writes)).to.deep.equal(['patch analysisRun'])
    expect(analysis.pods()).to.equal(1)
    expect(told(analysis.rest())).to.deep.equal(['apply fork'])
    expect(analysis.pods()).to.equal(0)
    expect(analysis.verdict()).to.equal('harm')
    expect(analysis.reasonOf('Stalled')).to.equal('RolledBack')
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True HarmFound', 'AnalysisPassed False HarmFound'])
  })

  it('takes pods that somebody gives back, as a repair', () => {
    const analysis = anAnalysis()
    analysis.decides('Fail')
    const { fork } = analysis.world
    if (!fork) throw new Error('there is a fork')
    analysis.world.fork = { ...fork, spec: { ...(fork.spec as object), replicas: 3 } } as typeof fork
    const [write] = analysis.pass().writes
    expect(write).to.deep.include({ verb: 'apply', role: 'fork', isRepair: true })
  })

  it('gives the pods back for another attempt, and takes them again for the former one', () => {
    const analysis = anAnalysis()
    analysis.decides('Fail')
    analysis.edit({ strategy: undefined, analysis: { ...ANALYSIS, attempt: 2 } })
    expect(told(analysis.rest())).to.deep.equal(['apply fork', 'create analysisRun', 'apply fork'])
    expect(analysis.pods()).to.equal(1)
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', attempt: 2 })
    analysis.edit({ strategy: undefined, analysis: ANALYSIS })
    const written = told(analysis.rest())
    expect(written.filter((write) => write === 'patch analysisRun')).to.have.length(1) // the second one ends
    expect(analysis.pods()).to.equal(0)
    expect(analysis.status()).to.deep.include({ verdict: 'Fail', attempt: 1 })
  })

  it('takes up the run of a question that is asked again', () => {
    const analysis = anAnalysis()
    analysis.decides('Wait')
    const { overrideSpec } = analysis.world.experiment.spec
    const first = analysis.status()?.run
    const other = { strategy: undefined, analysis: ANALYSIS, overrideSpec: imageOverride('example/cart:3') as never }
    analysis.edit(other)
    analysis.rest()
    expect(analysis.status()?.run).to.not.equal(first)
    analysis.edit({ ...other, overrideSpec })
    analysis.rest()
    expect(analysis.status()?.run).to.equal(first)
    expect(analysis.analyses.run?.status).to.deep.include({ verdict: 'Wait', looks: 1 })
    analysis.decides('Fail')
    expect(analysis.status()?.verdict).to.equal('Fail')
  })

  it('never acts on the verdict about another override', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    const overrideSpec = imageOverride('example/cart:3') as never
    analysis.edit({ strategy: undefined, analysis: ANALYSIS, overrideSpec })
    analysis.rest()
    expect(analysis.pods()).to.equal(1)
    expect(analysis.status()?.verdict).to.equal('Wait')
    expect(analysis.analyses.runs.map(({ status }) => status?.verdict)).to.deep.equal(['Aborted', undefined])
  })

  it('fails when its fork does not get ready in time', () => {
    const analysis = anAnalysis()
    const { fork } = analysis.world
    if (!fork) throw new Error('there is a fork')
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too late' },
    ]
    const status = { ...(fork.status as object), availableReplicas: 0, updatedReplicas: 1, conditions }
    analysis.world.fork = { ...fork, status } as typeof fork
    analysis.world.isHealthy = false
    analysis.pass()
    expect(analysis.analyses.run?.status).to.deep.include({ verdict: 'Fail', reason: 'NotHealthy', action: 'RollBack' })
  })

  it('ends with the experiment: expired, or without the analysis', () => {
    const expired = anAnalysis({ ttlSeconds: 3_600, metadata: { creationTimestamp: START.toISOString() } })
    expired.wait(4_000)
    expect(told(expired.rest())).to.include('patch analysisRun')
    expect(expired.analyses.run?.status?.verdict).to.equal('Aborted')
    const removed = anAnalysis()
    removed.edit({ strategy: undefined, analysis: undefined } as unknown as RunOf)
    expect(told(removed.rest())).to.include('patch analysisRun')
    expect(removed.analyses.run?.status?.verdict).to.equal('Aborted')
    expect(removed.status()).to.equal(undefined)
    expect(removed.conditions()).to.deep.equal([])
  })

  it('stays while it is not known which fork is wanted', () => {
    const analysis = anAnalysis()
    analysis.decides('Wait')
    const before = analysis.status()
    analysis.world.source = undefined
    expect(told(analysis.rest())).to.deep.equal([])
    expect(analysis.status()).to.deep.equal(before)
    expect(analysis.conditions()).to.have.length(2)
    expect(analysis.analyses.run?.status?.finishedAt).to.equal(undefined)
  })

  it('is refused where the component is not installed', () => {
    const { writes, reasonOf } = anAnalysis({}, { isInstalled: false })
    expect(writes).to.deep.equal([])
    expect(reasonOf('Ready')).to.equal('NotInstalled')
  })

  it('keeps its message while verdict and reason stay', () => {
    const analysis = anAnalysis()
    analysis.decides('Wait')
    const before = analysis.status()
    analysis.decides('Wait')
    expect(analysis.status()).to.deep.equal(before)
    expect(analysis.analyses.run?.status?.looks).to.equal(2)
  })
})

type Analysis = ReturnType<typeof anAnalysis>
const override = (image: string, of: RunOf = {}): RunOf => ({
  ...{ strategy: undefined, analysis: ANALYSIS, overrideSpec: imageOverride(image) as never },
  ...of,
})
const [FIRST, OTHER] = ['example/cart:2', 'example/cart:3']
const runOf = ({ analyses }: Analysis, name: string | undefined) =>
  analyses.runs.find(({ metadata }) => metadata.name === name)

/** Its question was another one for an hour, and is the first one again. */
function anAgain(of: RunOf = {}, decision: 'Wait' | 'Pass' = 'Wait') {
  const analysis = anAnalysis(of)
  analysis.decides(decision)
  const run = analysis.status()?.run
  analysis.edit(override(OTHER, of))
  analysis.rest()
  const between = runOf(analysis, run)?.status
  analysis.wait(3_600)
  analysis.edit(override(FIRST, of))
  return { ...analysis, first: () => runOf(analysis, run)?.status, between }
}

describe('a question that is asked again', () => {
  it('is not said to have ended while its fork is updated', () => {
    const analysis = anAgain()
    expect(analysis.between).to.deep.include({ verdict: 'Aborted' })
    expect(told(analysis.pass().writes)).to.include('apply fork')
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'NoPods' })
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete False NoPods', 'AnalysisPassed Unknown NoPods'])
  })

  it('is taken up when its fork is ready, and nothing of the time between counts', () => {
    const analysis = anAgain()
    analysis.rest()
    const now = analysis.world.now.toISOString()
    expect(analysis.first()).to.deep.include({ verdict: 'Wait', reason: 'Measuring', nextLookAt: now, looks: 1 })
    expect(analysis.first()).to.not.have.property('finishedAt')
    expect(analysis.first()?.metrics?.map(({ windowEnd }) => windowEnd)).to.deep.equal([now])
  })

  it('has passed if it had, and looks on', () => {
    const analysis = anAgain({ analysis: { ...ANALYSIS, continueAfterPass: true } }, 'Pass')
    expect(analysis.between).to.deep.include({ verdict: 'Pass' })
    expect(analysis.between).to.have.property('finishedAt')
    analysis.rest()
    const now = analysis.world.now.toISOString()
    expect(analysis.first()).to.deep.include({ verdict: 'Pass', reason: 'Passed', nextLookAt: now })
    expect(analysis.first()).to.not.have.property('finishedAt')
    expect(analysis.decides('Fail')).to.include('patch analysisRun')
    expect(analysis.status()).to.deep.include({ verdict: 'Fail' })
    expect(analysis.pods()).to.equal(0)
  })

  it('is not polled before it is taken up', () => {
    const analysis = anAgain()
    expect(analysis.pass()).to.not.have.property('arms')
    analysis.rest()
    expect(analysis.pass()).to.have.property('arms')
  })

  for (const decision of ['Wait', 'Pass', 'Fail'] as const)
    it(`N18: about a source that is created again, after ${decision}, repairs nothing`, () => {
      const analysis = anAnalysis()
      analysis.decides(decision)
      const { source } = analysis.world
      if (!source) throw new Error('there is a source')
      analysis.world.source = { ...source, metadata: { ...source.metadata, uid: 'created-again' } }
      const writes = Array.from({ length: 6 }, () => analysis.pass().writes).flat()
      expect(told(writes)).to.include('create analysisRun')
      expect(writes.filter((write) => 'isRepair' in write && write.isRepair)).to.deep.equal([])
      expect([analysis.pods(), analysis.verdict()]).to.deep.equal([1, 'notSignificant'])
    })
})
