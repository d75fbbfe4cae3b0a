import { expect } from 'chai'
import { imageOverride } from '../../builders.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'
import type { RunOf } from './some-run.ts'

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
