import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { imageOverride } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { ANALYSIS, anAnalysis } from './an-analysis.ts'

describe('the annotation of a verdict', () => {
  const without = (fork: KubeObject, value: string | undefined): KubeObject => {
    const { gatedDeployStatus: _none, ...others } = fork.metadata.annotations ?? {}
    const annotations = value === undefined ? others : { ...others, gatedDeployStatus: value }
    return { ...fork, metadata: { ...fork.metadata, annotations } }
  }
  const occasion = (decision: 'Wait' | 'Pass', present: string | undefined) => {
    const analysis = anAnalysis()
    analysis.decides(decision)
    const { fork } = analysis.world
    if (!fork) throw new Error('there is a fork')
    analysis.world.fork = without(fork, present)
    const [write] = plan(analysis.facts()).writes
    return write && 'isRepair' in write ? write.isRepair : 'none'
  }

  it('is written as it comes, and repaired where another client wrote something else', () => {
    expect(occasion('Wait', undefined)).to.equal(false)
    expect(occasion('Wait', 'notSignificant')).to.equal('none')
    expect(occasion('Wait', 'noHarm')).to.equal(true)
    expect(occasion('Pass', 'notSignificant')).to.equal(false)
    expect(occasion('Pass', 'harm')).to.equal(true)
    expect(occasion('Pass', undefined)).to.equal(true)
  })

  it('has a message of its own, and leaves the pods alone', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Pass')
    analysis.pass()
    const { writes, conclusion } = plan(analysis.facts())
    expect(writes).to.have.length(1)
    expect(conclusion.message).to.contain('its annotation now has the verdict of the analysis')
  })

  it('may follow on a Pass, and is no roll back where there are no pods', () => {
    const analysis = anAnalysis({ replicas: 0, analysis: { ...ANALYSIS, continueAfterPass: true } })
    analysis.decides('Pass')
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Fail')
    analysis.pass()
    const { writes, conclusion } = plan(analysis.facts())
    expect(writes[0]).to.deep.include({ isRepair: false })
    expect(conclusion.message).to.contain('its annotation now has the verdict of the analysis')
    analysis.rest()
    expect(analysis.verdict()).to.equal('harm')
  })

  it('is no excuse for another number of pods', () => {
    const analysis = anAnalysis()
    analysis.wait(60)
    analysis.analyses.decided(analysis.world.now, 'Pass')
    analysis.pass()
    const { fork } = analysis.world
    analysis.world.fork = { ...fork, spec: { ...(fork?.spec as object), replicas: 3 } } as KubeObject
    expect(plan(analysis.facts()).writes[0]).to.deep.include({ isRepair: true })
  })

  for (const decision of ['Pass', 'Fail'] as const)
    it(`comes with the edit that asks a question again, whose verdict was ${decision}`, () => {
      const analysis = anAnalysis()
      analysis.decides(decision)
      const { overrideSpec } = analysis.world.experiment.spec
      const first = { strategy: undefined, analysis: ANALYSIS, overrideSpec }
      analysis.edit({ ...first, overrideSpec: imageOverride('example/cart:3') as never })
      analysis.rest()
      analysis.edit(first)
      expect(analysis.pass().conclusion.message).to.contain('updated to the spec of the experiment')
      expect(analysis.verdict()).to.equal(decision === 'Pass' ? 'noHarm' : 'harm')
    })
})
