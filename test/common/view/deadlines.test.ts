import { expect } from 'chai'
import { deadlinesOf } from '../../../common/view/deadlines.ts'
import { aDeployment } from '../../builders.ts'
import { CANARY } from '../plan/some-run.ts'
import { aCondition, anAnalysisRun, aPausedRun, aToldExperiment } from './some-view.ts'

const TTL = { ttlSeconds: 7_200 }
const EXPIRES = { what: 'expires', at: '2026-11-21T11:00:00Z' }

describe('the deadlines of an experiment', () => {
  it('are when it expires, unless it is over', () => {
    expect(deadlinesOf(aToldExperiment(undefined, TTL))).to.deep.equal([EXPIRES])
    expect(deadlinesOf(aToldExperiment())).to.deep.equal([])
    const expired = { conditions: [aCondition('Ready', 'Expired', { status: 'False' })] }
    expect(deadlinesOf(aToldExperiment(expired, TTL))).to.deep.equal([])
  })

  it('are when a pause with a duration ends, the next one first', () => {
    const run = aPausedRun()
    expect(run.step()).to.equal('1/7 Paused')
    expect(deadlinesOf(run.world.experiment)).to.deep.equal([{ what: 'pause', at: '2026-11-21T11:00:00Z' }])
    const { metadata, spec } = run.world.experiment
    const created = { ...metadata, creationTimestamp: '2026-11-21T10:00:00Z' }
    const both = { ...run.world.experiment, metadata: created, spec: { ...spec, ttlSeconds: 60 } }
    expect(deadlinesOf(both).map(({ what }) => what)).to.deep.equal(['expires', 'pause'])
  })

  it('are none of a run that somebody paused, or whose spec was edited since', () => {
    const { experiment } = aPausedRun().world
    const { status = {}, metadata } = experiment
    const strategy = status.strategy && { ...status.strategy, held: true }
    expect(deadlinesOf({ ...experiment, status: { ...status, ...(strategy ? { strategy } : {}) } })).to.deep.equal([])
    expect(deadlinesOf({ ...experiment, metadata: { ...metadata, generation: 2 } })).to.deep.equal([])
  })

  it('are none at a pause until somebody resumes', () => {
    const run = aPausedRun()
    run.wait(3_600)
    run.rest()
    expect(CANARY.canary?.steps?.[3]).to.deep.equal({ pause: {} })
    expect([run.step(), deadlinesOf(run.world.experiment)]).to.deep.equal(['3/7 Paused', []])
  })

  const progressing = (of: object) => ({
    ...aDeployment({ spec: { replicas: 2, progressDeadlineSeconds: 600 } }),
    status: {
      readyReplicas: 1,
      conditions: [
        { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastUpdateTime: '2026-11-21T09:55:00Z' },
      ],
      ...of,
    },
  })
  const ofFork = (fork: ReturnType<typeof aDeployment>) => deadlinesOf(aToldExperiment(), { fork })

  it('are when the pods of a fork have taken too long', () => {
    expect(ofFork(progressing({}))).to.deep.equal([{ what: 'progressDeadline', at: '2026-11-21T10:05:00Z' }])
    expect(ofFork(progressing({ readyReplicas: 2 }))).to.deep.equal([])
    expect(ofFork(progressing({ conditions: [] }))).to.deep.equal([])
    const endless = { ...progressing({}), spec: { progressDeadlineSeconds: 2_147_483_647 } }
    expect(ofFork(endless)).to.deep.equal([])
  })

  it('are when an analysis runs out of time that has no verdict', () => {
    const experiment = aToldExperiment(undefined, { analysis: { maxSeconds: 1_200 } })
    const run = anAnalysisRun()
    expect(deadlinesOf(experiment, { run })).to.deep.equal([{ what: 'analysis', at: '2026-11-21T10:10:00Z' }])
    const ended = run.status && { ...run, status: { ...run.status, verdict: 'Pass' as const } }
    expect(deadlinesOf(experiment, { run: ended })).to.deep.equal([])
    expect(deadlinesOf(aToldExperiment(undefined, { analysis: {} }), { run })).to.deep.equal([])
  })
})
