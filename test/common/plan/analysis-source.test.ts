import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { objectOr } from '../../../common/json/json.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aStatefulSet, imageOverride, pinnedTo } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { ANALYSIS, anAnalysis, told } from './an-analysis.ts'
import { aSource, type RunOf } from './some-run.ts'
import { available } from './some-world.ts'

type Analysis = ReturnType<typeof anAnalysis>

/** `source` with a new template, which `updated` of its 10 pods have. */
const rolling = (updated: number, source = aSource(10, 'example/cart:2')): KubeObject => {
  const newer = { ...source, metadata: { ...source.metadata, generation: 2 } }
  return { ...newer, status: { ...objectOr(available(newer).status), updatedReplicas: updated } }
}
const reasonOf = (analysis: Analysis) => `${analysis.status()?.verdict} ${analysis.status()?.reason}`
const runsOf = ({ analyses }: Analysis) => analyses.runs.map(({ status }) => status?.verdict ?? 'new')
const override = (of: RunOf = {}): RunOf => ({ overrideSpec: imageOverride('example/cart:fast') as never, ...of })

describe('an analysis whose source', () => {
  it('rolls out begins when all of its pods have the template of the fork, and says for what it waits', () => {
    const analysis = anAnalysis(override())
    analysis.decides('Wait')
    analysis.world.source = rolling(0)
    analysis.rest()
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Aborted'], 'Wait SourceNotSettled'])
    expect(analysis.status()?.message).to.equal(
      'deployment/cart is not settled: its rollout has not reached all of its pods',
    )
    expect(analysis.conditions()).to.deep.equal([
      'AnalysisComplete False SourceNotSettled',
      'AnalysisPassed Unknown SourceNotSettled',
    ])
    analysis.world.source = rolling(9)
    expect(told(analysis.rest())).to.deep.equal([])
    analysis.world.source = rolling(10)
    expect(told(analysis.rest())).to.include('create analysisRun')
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Aborted', 'new'], 'Wait NoPods'])
  })

  it('has not been seen by its controller waits', () => {
    const { status, ...source } = rolling(10)
    const analysis = anAnalysis(override(), {
      source: { ...source, status: { ...objectOr(status), observedGeneration: 1 } },
    })
    expect(runsOf(analysis)).to.deep.equal([])
  })

  it('has pods that are not ready begins: what is compared is of one version', () => {
    const { status, ...source } = aSource()
    const analysis = anAnalysis(override(), {
      source: { ...source, status: { ...objectOr(status), availableReplicas: 3 } },
    })
    expect(runsOf(analysis)).to.deep.equal(['new'])
  })

  it('goes back before its rollout has ended does not go on before all pods are back', () => {
    const analysis = anAnalysis(override())
    analysis.decides('Wait')
    analysis.world.source = rolling(3)
    analysis.rest()
    analysis.world.source = rolling(7, aSource())
    analysis.rest()
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Aborted'], 'Wait SourceNotSettled'])
    analysis.world.source = rolling(10, aSource())
    analysis.rest()
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Wait'], 'Wait Measuring'])
  })

  for (const [field, source, of] of [
    ['spec.paused', rolling(0, aSource(10, 'example/cart:2', { paused: true })), {}],
    [
      'spec.updateStrategy.type: OnDelete',
      rolling(4, available({ ...aStatefulSet({ spec: { replicas: 10, updateStrategy: { type: 'OnDelete' } } }) })),
      { kind: statefulSet },
    ],
  ] as const)
    it(`has ${field} waits, and names it`, () => {
      const analysis = anAnalysis(override(), { source: aSource() })
      analysis.analyses.forget()
      analysis.world.source = source
      const facts = { ...analysis.facts(), ...('kind' in of ? { kind: known(of.kind) } : {}) }
      const { conclusion, writes } = plan(facts)
      expect(told(writes)).to.not.include('create analysisRun')
      expect(conclusion.analysis).to.deep.include({ verdict: 'Wait', reason: 'SourceHoldsBack', waitsForFork: false })
      expect(conclusion.analysis?.message).to.contain(`/cart has ${field}: not all of its pods have its template`)
    })

  it('was not read needs another pass, which reads it', () => {
    const analysis = anAnalysis(override())
    analysis.analyses.forget()
    const { analysis: asked, ...facts } = analysis.facts()
    const { conclusion, writes } = plan({ ...facts, analysis: asked && { ...asked, source: undefined } })
    expect(told(writes)).to.deep.equal([])
    expect(conclusion.analysis).to.deep.include({ reason: 'NoPods', waitsForFork: true })
  })

  it('rolls out and whose fork never gets ready fails all the same', () => {
    const analysis = anAnalysis(override())
    analysis.world.source = rolling(0)
    analysis.rest()
    analysis.world.isHealthy = false
    const overdue = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too late' }
    const { fork } = analysis.world
    if (fork) analysis.world.fork = { ...fork, status: { ...objectOr(fork.status), conditions: [overdue] } }
    analysis.rest()
    expect(reasonOf(analysis)).to.equal('Fail NotHealthy')
  })
})

describe('an analysis with a twin whose source rolls out', () => {
  const withTwin = override({ analysis: { ...ANALYSIS, control: 'Twin' } })

  it('begins, and compares the twin with its fork only', () => {
    const analysis = anAnalysis(withTwin, { source: rolling(5) })
    expect(runsOf(analysis)).to.deep.equal(['new'])
    expect(analysis.pass().arms?.()).to.include({ isSourceOther: true })
  })

  it('compares it with the source, too, once all pods have its template', () => {
    const analysis = anAnalysis(withTwin, { source: rolling(5) })
    analysis.world.source = rolling(10)
    expect(analysis.pass().arms?.()).to.have.property('source')
    expect(analysis.pass().arms?.()).to.not.have.property('isSourceOther')
  })
})

describe('a pinned analysis whose source changes', () => {
  const pinned = (control: 'Source' | 'Twin' = 'Source') => {
    const of = override({ onSourceChange: 'Pin', analysis: { ...ANALYSIS, control } })
    const { revision, status } = pinnedTo(aSource())
    const analysis = anAnalysis({ ...of, status })
    analysis.world.revision = revision
    analysis.rest()
    analysis.decides('Wait')
    return analysis
  }

  it('is interrupted, and says so: the fork would be compared with another version', () => {
    const analysis = pinned()
    analysis.world.source = rolling(10)
    expect(told(analysis.rest())).to.deep.equal(['patch analysisRun'])
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Aborted'], 'Wait SourceDrifted'])
    const message = 'deployment/cart has changed since this experiment was pinned to it'
    expect([analysis.status()?.message, analysis.analyses.run?.status?.message]).to.deep.equal([message, message])
    expect(analysis.pass()).to.not.have.property('arms')
  })

  it('goes on when the source is back', () => {
    const analysis = pinned()
    analysis.world.source = rolling(10)
    analysis.rest()
    analysis.world.source = rolling(10, aSource())
    analysis.rest()
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Wait'], 'Wait Measuring'])
  })

  it('goes on with a twin, which has the template that the fork is pinned to', () => {
    const analysis = pinned('Twin')
    analysis.world.source = rolling(10)
    analysis.rest()
    expect([runsOf(analysis), reasonOf(analysis)]).to.deep.equal([['Wait'], 'Wait Measuring'])
    expect(analysis.pass().arms?.()).to.include({ isSourceOther: true })
  })

  it('keeps its verdict', () => {
    const analysis = pinned()
    analysis.decides('Pass')
    analysis.world.source = rolling(10)
    analysis.rest()
    expect(reasonOf(analysis)).to.equal('Pass Passed')
  })
})
