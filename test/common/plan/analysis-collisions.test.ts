import { expect } from 'chai'
import { imageOverride } from '../../builders.ts'
import { anAnalysis, told } from './an-analysis.ts'
import { SAME_SUBJECT } from './collisions.ts'

describe('two questions with one short hash', () => {
  it('N31: have two answers: the second gets no analysis run, and says so', () => {
    const analysis = anAnalysis(SAME_SUBJECT.good)
    analysis.decides('Pass')
    const name = analysis.analyses.run?.metadata.name
    expect(analysis.status()).to.deep.include({ verdict: 'Pass', run: name })
    analysis.edit(SAME_SUBJECT.evil)
    const writes = told(analysis.rest())
    expect(writes).to.include('apply fork')
    expect(writes).to.not.include('create analysisRun')
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'NameConflict' })
    expect(analysis.status()).to.not.have.property('run')
    expect(analysis.status()?.message).to.equal(
      `expdrun/${name} is about another question and has the name for this one; raise analysis.attempt`,
    )
    expect(analysis.conditions()).to.deep.equal([
      'AnalysisComplete False NameConflict',
      'AnalysisPassed Unknown NameConflict',
    ])
    expect(analysis.verdict()).to.not.equal('noHarm')
  })

  it('N31: the first is found again, with its answer', () => {
    const analysis = anAnalysis(SAME_SUBJECT.good)
    analysis.decides('Pass')
    analysis.edit(SAME_SUBJECT.evil)
    analysis.rest()
    analysis.edit(SAME_SUBJECT.good)
    analysis.rest()
    expect(analysis.status()).to.deep.include({ verdict: 'Pass' })
  })
})

describe('an analysis run of an earlier version', () => {
  /** As an earlier version stores it. */
  function former(decision?: 'Pass' | 'Fail') {
    const analysis = anAnalysis({ overrideSpec: imageOverride('example/cart:2') as never })
    if (decision) analysis.decides(decision)
    analysis.analyses.forgetWhole()
    return analysis
  }

  it('N31: gets the whole hash of its question in its status, and is the run of this question', () => {
    for (const decision of ['Pass', 'Fail', undefined] as const) {
      const analysis = former(decision)
      const [before, pods] = [analysis.analyses.run, analysis.pods()]
      expect(told(analysis.pass().writes)).to.deep.equal(['patch analysisRun'])
      const { spec, status } = analysis.analyses.run ?? {}
      expect(spec).to.deep.equal(before?.spec)
      expect(status?.wholeSubject).to.match(/^[0-9a-f]{64}$/)
      if (before?.status)
        expect({ ...status, wholeSubject: undefined }).to.deep.equal({ ...before.status, wholeSubject: undefined })
      expect(told(analysis.rest())).to.deep.equal([])
      expect([analysis.analyses.runs.length, analysis.pods()]).to.deep.equal([1, pods])
    }
  })

  it('N31: keeps the whole hash when it goes on', () => {
    const analysis = former()
    analysis.rest()
    const { wholeSubject } = analysis.analyses.run?.status ?? {}
    analysis.decides('Wait')
    analysis.decides('Pass')
    expect(analysis.analyses.run?.status).to.deep.include({ verdict: 'Pass', wholeSubject })
  })

  it('N31: is not asked about what only has the same short hash', () => {
    const analysis = anAnalysis(SAME_SUBJECT.good)
    analysis.decides('Pass')
    analysis.analyses.forgetWhole()
    analysis.rest()
    analysis.edit(SAME_SUBJECT.evil)
    analysis.rest()
    expect(analysis.status()).to.deep.include({ verdict: 'Wait', reason: 'NameConflict' })
  })
})
