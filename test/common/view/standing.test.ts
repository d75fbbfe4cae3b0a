import { expect } from 'chai'
import { standingOf } from '../../../common/view/standing.ts'
import { anExperiment } from '../../builders.ts'
import { aPausedRun, aToldExperiment } from './some-view.ts'

const at = { status: 'True', reason: 'Available\u202e', message: '', lastTransitionTime: '' } as const

describe('where an experiment stands', () => {
  it('says of each condition whether it is about the present generation', () => {
    const experiment = aToldExperiment(
      {
        observedGeneration: 2,
        conditions: [
          { ...at, type: 'Ready', observedGeneration: 2 },
          { ...at, type: 'AnalysisPassed', observedGeneration: 1 },
          { ...at, type: 'Paused' },
        ],
      },
      { metadata: { generation: 2 } },
    )
    expect(standingOf(experiment).conditions).to.deep.equal([
      { type: 'Ready', status: 'True', reason: 'Available\\u202e', isCurrent: true },
      { type: 'AnalysisPassed', status: 'True', reason: 'Available\\u202e', isCurrent: false },
      { type: 'Paused', status: 'True', reason: 'Available\\u202e', isCurrent: true },
    ])
  })

  it('says where the run is, as a command must name it', () => {
    const { world } = aPausedRun()
    const { strategy } = world.experiment.status ?? {}
    expect(standingOf(world.experiment).run).to.deep.equal({
      stepIndex: strategy?.stepIndex,
      revision: strategy?.revision,
      wholeRevision: strategy?.wholeRevision,
      isForward: true,
    })
    expect(strategy?.wholeRevision).to.have.length(64)
  })

  it('says what the spec asks for', () => {
    expect(standingOf(anExperiment())).to.deep.equal({
      conditions: [],
      asks: { strategy: false, promotion: false, analysis: false },
    })
    expect(standingOf(anExperiment({ promotion: {}, analysis: {} })).asks).to.deep.equal({
      ...{ strategy: false, promotion: true, analysis: true },
    })
  })
})
