import { expect } from 'chai'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { anExperiment } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, type RunOf, START } from '../plan/some-run.ts'
import { aCutOver } from '../run/blue-greens.ts'

/** A run that rests at its pause, or at its end. */
function rested(of: RunOf = {}) {
  const run = aRun(aRunExperiment(of))
  run.rest()
  return run
}

const AT_ONCE: RunOf = {
  strategy: { canary: { steps: [], scaleDownDelaySeconds: 0 } },
  promotion: { mode: 'Automatic' },
}

describe('the situation', () => {
  it('derives each member once', () => {
    const situation = situationOf(rested().facts())
    for (const member of ['run', 'runHashes', 'strategy'] as const)
      expect(situation[member]).to.equal(situation[member])
    expect(situation.stepsOf('Abort')).to.equal(situation.stepsOf('Abort'))
  })

  it('has no run without strategy and promotion', () => {
    const { strategy, run, storedRun, stage } = situationOf(someFacts({ experiment: anExperiment() }))
    expect({ strategy, run, storedRun, stage }).to.deep.equal({
      ...{ strategy: undefined, run: undefined, storedRun: undefined },
      stage: 'ongoing',
    })
  })

  it('has a run, but no stored one, before the first status', () => {
    const { run, storedRun } = situationOf(aRun().facts())
    expect([run?.run.stepIndex, storedRun]).to.deep.equal([0, undefined])
  })
})

describe('the stage of an experiment', () => {
  const expired = { ttlSeconds: 60, metadata: { creationTimestamp: START.toISOString() } }

  it('is that of an ongoing one until it ends', () => expect(situationOf(rested().facts()).stage).to.equal('ongoing'))

  it('is deleting, whatever else is true', () => {
    const facts = rested(expired).facts()
    const metadata = { ...facts.experiment.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' }
    expect(situationOf({ ...facts, experiment: { ...facts.experiment, metadata } }).stage).to.equal('deleting')
  })

  it('is expired after its time', () => {
    const run = rested(expired)
    run.wait(3_600)
    expect(situationOf(run.facts()).stage).to.equal('expired')
  })

  it('is promoted when the source has the change', () =>
    expect(situationOf(rested(AT_ONCE).facts()).stage).to.equal('promoted'))

  it('is returning while the fork of an expired one still gets all requests, although its run is on its way back', () => {
    const run = aCutOver(undefined, expired)
    run.wait(3_600)
    const { experiment, ...others } = run.facts()
    const { status } = experiment
    const strategy = status?.strategy && { ...status.strategy, path: 'Abort' as const, stepIndex: 0 }
    const aborted = { ...experiment, status: { ...status, ...(strategy ? { strategy } : {}) } }
    expect(situationOf({ ...others, experiment: aborted }).stage).to.equal('returning')
  })
})
