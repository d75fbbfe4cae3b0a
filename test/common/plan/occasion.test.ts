import { expect } from 'chai'
import { WHOLE_DERIVED_HASH } from '../../../common/api/names.ts'
import type { KubeObject, Labels } from '../../../common/api/object.ts'
import type { CanaryStep } from '../../../common/api/strategy.ts'
import type { DesiredFork } from '../../../common/assess/assess.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { hasDrifted } from '../../../common/plan/occasion.ts'
import { runStatus } from '../../../common/strategy/run.ts'
import { aDeployment, anExperiment, imageOverride } from '../../builders.ts'
import { assess, evaluate, plan } from '../of-facts.ts'
import { ANALYSIS, anAnalysis } from './an-analysis.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

/** The message of the pass in which a source of ten pods shrinks to three, while its run is at the second step. */
function onShrinking(steps: readonly CanaryStep[], replicas: number): string {
  const strategy = { canary: { steps } }
  const planned = (given: Given) => {
    const facts = someFacts(given)
    return plan(facts, evaluate(facts)).conclusion
  }
  const given = { experiment: anExperiment({ strategy }), source: aDeployment({ spec: { replicas: 10 } }) }
  const { run } = planned(given)
  if (!run) throw new Error('there is no run')
  const fork = theFork(given)
  const { name, namespace, uid = '', generation = 0 } = fork.metadata
  const status = {
    observedGeneration: 1,
    strategy: runStatus({ ...run.run, stepIndex: 1 }, run.steps, undefined),
    experimentResourceRef: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name,
      namespace: namespace ?? '',
      uid,
      generation,
    },
  }
  const experiment = anExperiment({ strategy, replicas, status })
  return planned({ experiment, fork, source: aDeployment({ spec: { replicas: 3 } }) }).message
}

describe('the occasion of a write', () => {
  it('is the weight that decides, during the pause after it', () =>
    expect(onShrinking([{ setWeight: 30 }, { pause: {} }], 1)).to.contain('setWeight 30%: 1 pod'))

  it('is spec.replicas where no weight decides', () =>
    expect(onShrinking([{ pause: {} }, { pause: {} }], 2)).to.contain('spec.replicas: 2 pods'))
})

function wantedBy(facts: Facts): DesiredFork {
  const assessment = assess(facts)
  if (assessment.is !== 'wanted') throw new Error('no fork is wanted')
  return assessment
}

describe('a fork has drifted by its whole hash', () => {
  const fork = theFork()
  const facts = someFacts({ experiment: anExperiment({ replicas: 1, status: leftAt(3) }), fork })
  const { [WHOLE_DERIVED_HASH]: whole = '', ...short } = fork.metadata.annotations ?? {}
  const withAnnotations = (annotations: Labels) => ({ ...fork, metadata: { ...fork.metadata, annotations } })
  const { experimentResourceRef, ...left } = leftAt(3)
  const told = (wholeHash: string) =>
    someFacts({
      experiment: anExperiment({
        replicas: 1,
        status: { ...left, experimentResourceRef: { ...experimentResourceRef, wholeHash } },
      }),
      fork: theFork(),
    })
  const drifts = (annotations: Labels, of = facts) => hasDrifted(of, withAnnotations(annotations), wantedBy(of))

  it('N31: not where no write has given it one yet', () => expect(drifts(short)).to.equal(false))

  it('N31: where it has another one, although the short one is equal', () =>
    expect(drifts({ ...short, [WHOLE_DERIVED_HASH]: '0'.repeat(64) })).to.equal(true))

  it('N31: where the status tells that another client has removed it', () => {
    expect(drifts(short, told(whole))).to.equal(true)
    expect(drifts({ ...short, [WHOLE_DERIVED_HASH]: whole }, told(whole))).to.equal(false)
  })
})

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
