import { expect } from 'chai'
import { viewEvents } from '../../../common/view/events.ts'
import { timelineOf } from '../../../common/view/timeline.ts'
import { anEvent, aPausedRun, aToldExperiment } from './some-view.ts'

const POD = { kind: 'Pod', name: 'a', uid: 'p' }

describe('the timeline', () => {
  it('has the creation, conditions and Events, newest first', () => {
    const events = viewEvents([anEvent(POD, { lastTimestamp: '2026-11-21T09:30:00Z' })])
    expect(timelineOf(aToldExperiment(), events)).to.deep.equal([
      { at: '2026-11-21T09:50:00Z', reason: 'Available', message: 'Ready True: told: Available' },
      { at: '2026-11-21T09:30:00Z', reason: 'Failed', message: 'pod/a: it failed', by: 'kubelet', count: 3 },
      { at: '2026-11-21T09:00:00Z', reason: 'Created', message: 'the experiment was created' },
    ])
  })

  it('has the last command and its author', () => {
    const run = aPausedRun()
    run.say('pause')
    run.rest()
    expect(timelineOf(run.world.experiment, []).find(({ by }) => by === 'ada')).to.deep.equal({
      at: '2026-11-21T10:00:00.001Z',
      reason: 'Done',
      message: 'pause: paused at step 2 of 7, Paused',
      by: 'ada',
    })
  })

  it('leaves out what has no time, and all but 200', () => {
    const timeless = { conditions: [{ ...aToldExperiment().status?.conditions?.[0], lastTransitionTime: 'now' }] }
    expect(timelineOf(aToldExperiment(timeless as object), [])).to.have.length(1)
    const events = viewEvents(Array.from({ length: 200 }, () => anEvent(POD)))
    expect(timelineOf(aToldExperiment(), events)).to.have.length(200)
  })
})
