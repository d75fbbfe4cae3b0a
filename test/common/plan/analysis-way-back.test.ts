import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import type { Strategy } from '../../../common/api/strategy.ts'
import { ID, pinsOf } from '../run/blue-greens.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'
import { aService } from './simulated-services.ts'

type Analysis = ReturnType<typeof anAnalysis>
const PAUSED: Strategy = { canary: { steps: [{ setWeight: 10 }, { pause: {} }] } }
const phaseOf = ({ strategy }: Analysis) => strategy()?.phase
const verdictOf = ({ analyses }: Analysis) => analyses.run?.status?.verdict

/** The verdict is recorded, and nothing has followed from it. */
function recorded(analysis: Analysis, decision: 'Pass' | 'Fail' = 'Fail'): Analysis {
  analysis.wait(60)
  analysis.analyses.decided(analysis.world.now, decision)
  expect(told(analysis.pass().writes)).to.include('patch analysisRun')
  return analysis
}

describe('the way back after a verdict', () => {
  it('begins in the pass after the verdict was recorded, with nothing but the status', () => {
    const analysis = recorded(anAnalysis({ strategy: PAUSED }))
    expect([phaseOf(analysis), analysis.pods()]).to.deep.equal(['Paused', 1])
    expect(told(analysis.pass().writes)).to.deep.equal([])
    expect([phaseOf(analysis), analysis.pods()]).to.deep.equal(['Aborting', 1])
    analysis.rest()
    expect([phaseOf(analysis), analysis.pods()]).to.deep.equal(['Aborted', 0])
    expect([analysis.status()?.verdict, analysis.verdict()]).to.deep.equal(['Fail', 'harm'])
  })

  it('says why', () => {
    const { conclusion } = recorded(anAnalysis({ strategy: PAUSED })).pass()
    expect(conclusion.run?.moved).to.deep.include({ reason: 'Aborted' })
    expect(conclusion.run?.moved?.message).to.match(/^the analysis ended with Fail: /)
  })

  it('N24: tells the cause in the status, and that retry alone is not enough', () => {
    const analysis = recorded(anAnalysis({ strategy: PAUSED }))
    analysis.rest()
    expect(analysis.pass().conclusion.message).to.equal(
      'the run was aborted: the analysis ended with Fail: decided Fail; the fork has no pods until you edit the override, or raise spec.analysis.attempt and then give the command retry',
    )
    analysis.edit({ strategy: PAUSED, analysis: { ...ANALYSIS, attempt: 2 } })
    analysis.rest()
    expect(analysis.pass().conclusion.message).to.equal(
      'the run was aborted: the analysis ended with Fail: decided Fail; the fork has no pods until you give the command retry, or edit the override or the strategy',
    )
    const causeOf = () => analysis.world.experiment.status?.strategy?.cause
    expect(causeOf()).to.equal('the analysis ended with Fail: decided Fail')
    analysis.say('retry')
    analysis.rest()
    expect([phaseOf(analysis), analysis.pods(), causeOf()]).to.deep.equal(['Paused', 1, undefined])
  })

  it('is taken by a run that somebody has paused', () => {
    const analysis = anAnalysis({ strategy: PAUSED })
    analysis.say('pause')
    analysis.rest()
    recorded(analysis).rest()
    expect(phaseOf(analysis)).to.equal('Aborted')
  })

  it('is harm for scripts also after a command, until it is tried again', () => {
    const analysis = anAnalysis({ strategy: PAUSED })
    expect(analysis.verdict()).to.equal('notSignificant')
    analysis.say('abort')
    analysis.rest()
    expect([phaseOf(analysis), verdictOf(analysis), analysis.verdict()]).to.deep.equal(['Aborted', 'Aborted', 'harm'])
    analysis.say('retry')
    analysis.rest()
    expect([phaseOf(analysis), verdictOf(analysis), analysis.verdict()]).to.deep.equal([
      'Paused',
      'Wait',
      'notSignificant',
    ])
  })

  it('is taken although somebody promotes in the same moment', () => {
    const analysis = recorded(anAnalysis({ strategy: PAUSED }))
    analysis.say('promote')
    expect(told(analysis.rest())).to.not.include('patch source')
    expect(phaseOf(analysis)).to.equal('Aborted')
  })

  it('is taken at the promotion while nothing was written', () => {
    const analysis = anAnalysis({ strategy: PAUSED })
    analysis.world.isPromotionInstalled = false
    analysis.say('promote')
    analysis.rest()
    expect(analysis.strategy()?.stepName).to.equal('promote')
    recorded(analysis).rest()
    expect(phaseOf(analysis)).to.equal('Aborted')
  })

  it('is not taken once the source may have the change, which is not compared any more', () => {
    const analysis = anAnalysis({ strategy: PAUSED })
    analysis.say('promote')
    for (let passes = 0; passes < 10 && !analysis.world.record; passes += 1) analysis.pass()
    expect(analysis.world.record).to.not.equal(undefined)
    const before = analysis.status()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    expect(told([...analysis.pass().writes])).to.not.include('patch analysisRun')
    expect(analysis.status()).to.deep.equal(before)
    analysis.rest()
    analysis.wait(60)
    expect(told(analysis.rest())).to.include('delete fork')
    expect([phaseOf(analysis), verdictOf(analysis)]).to.deep.equal(['Promoted', 'Aborted'])
    expect(analysis.status()).to.deep.include({ verdict: 'Aborted' })
  })

  it('gives the Services of a blue-green back first', () => {
    const analysis = anAnalysis(
      { strategy: { blueGreen: { activeService: 'cart' } } },
      { services: { active: aService('cart'), preview: undefined } },
    )
    analysis.wait(30)
    analysis.rest()
    expect(pinsOf(analysis)[0]).to.equal(ID)
    recorded(analysis)
    const [first] = analysis.rest()
    expect(first).to.deep.include({ verb: 'patch', role: 'service' })
    expect(pinsOf(analysis)[0]).to.equal('shared')
    expect(analysis.strategy()?.path).to.equal('Abort')
  })
})

describe('an analysis whose run is aborted by a command', () => {
  const maxSeconds: AnalysisSpec = { ...ANALYSIS, maxSeconds: 600 }
  function anAborted() {
    const analysis = anAnalysis({ strategy: PAUSED, analysis: maxSeconds })
    analysis.decides('Wait')
    analysis.say('abort')
    analysis.rest()
    return analysis
  }

  it('ends, because nothing is left to compare', () => {
    const analysis = anAborted()
    expect(phaseOf(analysis)).to.equal('Aborted')
    expect(verdictOf(analysis)).to.equal('Aborted')
    expect(analysis.status()).to.deep.include({ verdict: 'Aborted' })
    expect(analysis.conditions()).to.deep.equal(['AnalysisComplete True Aborted', 'AnalysisPassed False Aborted'])
    expect(analysis.pass()).to.not.have.property('arms')
    expect(told(analysis.rest())).to.deep.equal([])
  })

  it('ends in the pass after the way back was stored', () => {
    const analysis = anAnalysis({ strategy: PAUSED })
    analysis.say('abort')
    expect(told(analysis.pass().writes)).to.deep.equal([])
    expect(told(analysis.pass().writes)).to.include('patch analysisRun')
  })

  it('goes on after a retry, and the time between does not count', () => {
    const analysis = anAborted()
    analysis.wait(3_600)
    analysis.say('retry')
    analysis.rest()
    expect(phaseOf(analysis)).to.equal('Paused')
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'Measuring' })
    expect(analysis.analyses.runs).to.have.length(1)
    analysis.decides('Pass')
    expect([phaseOf(analysis), analysis.status()?.verdict]).to.deep.equal(['Paused', 'Pass'])
  })

  it('is not begun where the run was aborted before', () => {
    const analysis = anAnalysis({ strategy: PAUSED, analysis: { ...ANALYSIS, metrics: [] } })
    analysis.say('abort')
    analysis.rest()
    analysis.analyses.forget()
    expect(told(analysis.rest())).to.deep.equal([])
    expect(analysis.status()).to.deep.include({ verdict: 'Aborted' })
  })

  it('keeps its verdict', () => {
    const analysis = anAnalysis({ strategy: PAUSED, analysis: maxSeconds })
    analysis.decides('Pass')
    analysis.say('abort')
    analysis.rest()
    expect([phaseOf(analysis), analysis.status()?.verdict]).to.deep.equal(['Aborted', 'Pass'])
  })
})
