import { expect } from 'chai'
import type { AnalysisRun, AnalysisRunStatus } from '../../../common/analysis/kinds/run.ts'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { analysisArms, analysisState, consequenceOf, sourceObstacle } from '../../../common/assess/analysis.ts'
import type { AnalysisFacts, SpecFacts } from '../../../common/facts/facts.ts'
import { experimentId, roleUid, twinName } from '../../../common/workload/identity.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, anExperiment, aRollout, aStatefulSet, FORK, imageOverride, installing } from '../../builders.ts'
import { aRun } from '../analysis/run/runs.ts'
import { assess } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'

const provider = (namespaceSelector: Readonly<Record<string, unknown>>) =>
  known({ metadata: { name: 'x' }, spec: { type: 'Web', address: 'https://x', namespaceSelector } as const })
const ANALYSIS: AnalysisFacts = {
  templates: known(new Map()),
  clusterTemplates: known(new Map()),
  providers: known(
    new Map([
      ['shop', provider({ matchLabels: { team: 'shop' } })],
      ['all', provider({})],
      ['stock', provider({ matchLabels: { team: 'stock' } })],
      ['broken', unknown('spec.type: wrong')],
    ]),
  ),
  namespace: { name: 'shop', labels: { team: 'shop' } },
  runs: [],
}

const INSTALLED = installing('analysis')

function stateOf(
  spec: AnalysisSpec | undefined,
  runs: readonly AnalysisRun[] | undefined = [],
  image = 'example/cart:2',
) {
  const of = { overrideSpec: imageOverride(image), ...(spec ? { analysis: spec } : {}) }
  const { runs: _none, ...analysis } = ANALYSIS
  const facts: SpecFacts = {
    ...someFacts({ experiment: anExperiment(of), installed: INSTALLED }),
    analysis: { ...analysis, ...(runs ? { runs } : {}) },
  }
  const assessment = assess(facts)
  if (assessment.is !== 'wanted') throw new Error(assessment.decision.message)
  return analysisState(facts, assessment)
}

describe('the state of an analysis', () => {
  it('is not there without spec.analysis, nor where analysis runs are not known', () => {
    expect(stateOf(undefined)).to.equal(undefined)
    const facts = {
      ...someFacts({ experiment: anExperiment({ analysis: {} }), installed: INSTALLED }),
      analysis: undefined,
    }
    const assessment = assess({ ...facts, analysis: ANALYSIS })
    expect(assessment.is === 'wanted' && analysisState(facts, assessment)).to.equal(undefined)
    const { runs: _none, ...inReview } = ANALYSIS
    expect(assessment.is === 'wanted' && analysisState({ ...facts, analysis: inReview }, assessment)).to.equal(
      undefined,
    )
  })

  it('has the run of its question, and of no other', () => {
    const subject = stateOf({})?.subject ?? ''
    const runs = [aRun({ spec: { subject: 'other' } }), aRun({ spec: { subject } })]
    expect(stateOf({}, runs)?.run).to.equal(runs[1])
    expect(stateOf({ attempt: 2 }, runs)).to.not.have.property('run')
    expect(stateOf({}, runs, 'example/cart:3')).to.not.have.property('run')
  })

  it('is another question of another source, and of one with another template, although the fork stays', () => {
    const experiment = anExperiment({ analysis: {}, overrideSpec: imageOverride('example/cart:2') })
    const subject = (source: KubeObject) => {
      const facts = { ...someFacts({ source, experiment, installed: INSTALLED }), analysis: ANALYSIS }
      const assessment = assess(facts)
      return assessment.is === 'wanted' ? analysisState(facts, assessment)?.subject : undefined
    }
    const sources = [
      aDeployment(),
      aDeployment({ metadata: { uid: 'uid-of-the-next' } }),
      aDeployment({ image: 'example/cart:3' }),
    ]
    expect(new Set(sources.map(subject)).size).to.equal(3)
    const same = [aDeployment({ spec: { replicas: 3 } }), aDeployment({ metadata: { generation: 9 } })]
    expect(same.map(subject)).to.deep.equal([subject(aDeployment()), subject(aDeployment())])
  })

  it('has the times that the experiment has now, with all defaults', () =>
    expect(stateOf({ intervalSeconds: 90, onTimeout: 'Keep' })?.spec).to.deep.include({
      ...{ intervalSeconds: 90, onTimeout: 'Keep', warmUpSeconds: 60, attempt: 1 },
    }))

  it('is the same question for any number of pods', () => {
    const of = (replicas: number) => {
      const experiment = anExperiment({ analysis: {}, replicas })
      const facts = { ...someFacts({ experiment, installed: INSTALLED }), analysis: ANALYSIS }
      const assessment = assess(facts)
      return assessment.is === 'wanted' ? analysisState(facts, assessment)?.subject : undefined
    }
    expect(of(1)).to.be.a('string')
    expect(of(1)).to.equal(of(7))
  })
})

describe('what follows from a verdict', () => {
  const of = (status: Partial<AnalysisRunStatus> | undefined, spec: AnalysisSpec = {}) => {
    const state = stateOf(spec)
    const run = status && aRun({ status: { reason: 'x', message: '', ...status } as AnalysisRunStatus })
    return state && consequenceOf({ ...state, ...(run ? { run } : {}) })
  }

  it('is what was recorded with it', () => {
    expect(of({ verdict: 'Fail', action: 'RollBack' })).to.equal('RollBack')
    expect(of({ verdict: 'Pass', action: 'Promote' })).to.equal('Pass')
    expect(of({ verdict: 'Inconclusive', action: 'Promote' })).to.equal('Pass')
    expect(of({ verdict: 'NoData', action: 'Keep' })).to.equal('Keep')
  })

  it('is nothing while it waits, after an end by others, and without a run or a look', () => {
    expect([of({ verdict: 'Wait' }), of({ verdict: 'Aborted' }), of(undefined)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    expect(of({ verdict: 'Wait', action: 'RollBack' })).to.equal(undefined)
    // it had passed, and looked on
    expect(of({ verdict: 'Aborted', action: 'Promote' }, { continueAfterPass: true })).to.equal(undefined)
  })

  it('is a Pass also while the analysis goes on', () =>
    expect(of({ verdict: 'Pass', action: 'Promote' }, { continueAfterPass: true })).to.equal('Pass'))
})

describe('what keeps a source from being compared', () => {
  const of = (source: KubeObject, given: Partial<SpecFacts> = {}, read?: AnalysisFacts['source']) => {
    const experiment = anExperiment({ analysis: {} })
    const facts: SpecFacts = {
      ...someFacts({ source, experiment, installed: INSTALLED }),
      ...given,
      analysis: { ...ANALYSIS, source: read },
    }
    const assessment = assess(facts)
    const state = assessment.is === 'wanted' ? analysisState(facts, assessment) : undefined
    if (assessment.is !== 'wanted' || !state) throw new Error('there is no analysis')
    return sourceObstacle(facts, state, assessment)?.reason
  }

  it('is its own rollout, as the status says that was read last', () => {
    const status = { observedGeneration: 1, replicas: 11, updatedReplicas: 3 }
    expect(of(aDeployment(), {}, known({ ...aDeployment(), status }))).to.equal('SourceNotSettled')
    const done = { ...status, updatedReplicas: 11 }
    expect(of(aDeployment(), {}, known({ ...aDeployment(), status: done }))).to.equal(undefined)
    expect(of(aDeployment())).to.equal('NoPods')
  })

  it('is nothing where only its stable pods are compared, or it cannot be read', () => {
    expect(of(aRollout(), { kind: known(rollout) })).to.equal(undefined)
    expect(of(aDeployment(), {}, unknown('no'))).to.equal(undefined)
    expect(of(aDeployment(), {}, { is: 'absent' })).to.equal(undefined)
  })
})

describe('the arms of an analysis', () => {
  const arms = (source: KubeObject | undefined, more: Partial<SpecFacts> = {}) =>
    analysisArms({ ...someFacts({ source, experiment: anExperiment({ analysis: {} }) }), analysis: ANALYSIS, ...more })

  it('are the pods of the fork, and those of its source that are of no fork', () =>
    expect(arms(aDeployment())).to.deep.equal({
      namespace: 'shop',
      providers: ['all', 'shop'],
      treatment: { workload: FORK, selector: `experiment-controller.example.com/experiment-id=${FORK.slice(-10)}` },
      control: { workload: 'cart', selector: 'app=cart,!experiment-controller.example.com/experiment-id' },
    }))

  it('are the pods of fork and twin where that is the control, which is compared with the source', () => {
    const experiment = anExperiment({ analysis: { control: 'Twin' } })
    const found = arms(aDeployment(), { experiment })
    const plain = arms(aDeployment())
    const id = roleUid(experiment.metadata.uid, 'control')
    expect(found).to.deep.equal({
      ...plain,
      control: {
        workload: twinName(experiment),
        selector: `experiment-controller.example.com/experiment-id=${experimentId(id)}`,
      },
      source: plain?.control,
    })
    expect(found?.control.selector).to.not.equal(found?.treatment.selector)
    const facts = { ...someFacts({ experiment, installed: INSTALLED }), analysis: ANALYSIS }
    expect(analysisArms(facts, { reason: 'SourceNotSettled', message: '' })).to.include({ isSourceOther: true })
  })

  it('take every requirement of the selector', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['web', 'api'] },
      { key: 'old', operator: 'DoesNotExist' },
    ]
    const source = aDeployment({ spec: { selector: { matchLabels: { app: 'cart' }, matchExpressions } } })
    expect(arms(source)?.control.selector).to.match(/^app=cart,tier in \(web,api\),!old,!/)
  })

  it('are found alike for a StatefulSet', () =>
    expect(arms(aStatefulSet(), { kind: known(statefulSet) })?.control).to.deep.equal({
      workload: 'cart',
      selector: 'app=cart,!experiment-controller.example.com/experiment-id',
    }))

  it('are of the stable revision of a Rollout, once there is one', () => {
    const [stable, none] = ['6b8f', undefined].map((stableRS) => ({
      ...aRollout(),
      status: stableRS ? { stableRS } : {},
    }))
    const kind = { kind: known(rollout) }
    expect(arms(stable, kind)?.control.selector).to.match(/,rollouts-pod-template-hash=6b8f,!/)
    expect(arms(none, kind)?.control.selector).to.not.contain('rollouts-pod-template-hash')
  })

  it('are not known without a source, or where it selects no pods', () => {
    expect(arms(undefined)).to.equal(undefined)
    expect(arms(aDeployment({ spec: { selector: {} } }))).to.equal(undefined)
  })

  it('ask no provider where the labels of the namespace are not known', () => {
    expect(arms(aDeployment(), { analysis: { ...ANALYSIS, namespace: undefined } })?.providers).to.deep.equal([])
    expect(arms(aDeployment(), { analysis: undefined })?.providers).to.deep.equal([])
  })
})
