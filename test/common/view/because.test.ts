import { expect } from 'chai'
import { REASONS } from '../../../common/api/reasons.ts'
import { found, reasonOf, remedyOf } from '../../../common/view/because.ts'
import { viewEvents } from '../../../common/view/events.ts'
import { anExperiment } from '../../builders.ts'
import { aCondition, anEvent, aPod, aToldExperiment, crashing } from './some-view.ts'

const FORK_REF = { kind: 'Deployment', name: 'fork', uid: 'f' }
const SELF = { kind: 'ExperimentDeployment', name: 'faster-cart', uid: 'e' }
const POD_REF = { kind: 'Pod', name: 'a', uid: 'uid-of-a' }

describe('why an experiment is in its state', () => {
  it('is the reason, the message and the time of Ready', () =>
    expect(reasonOf(aToldExperiment())).to.deep.equal({
      reason: 'Available',
      message: 'told: Available',
      since: '2026-11-21T09:50:00Z',
      remedy: 'No action needed. Every pod of the fork is ready.',
    }))

  it('is that of Stalled or Paused, where one of these is the state', () => {
    const both = [
      aCondition('Ready', 'Available'),
      aCondition('Paused', 'PauseStep'),
      aCondition('Stalled', 'SourceScaled'),
    ]
    expect(reasonOf(aToldExperiment({ conditions: both })).reason).to.equal('SourceScaled')
    expect(reasonOf(aToldExperiment({ conditions: both.slice(0, 2) })).reason).to.equal('PauseStep')
  })

  it('is that nothing is told yet, before the first pass', () => {
    expect(reasonOf(anExperiment()).reason).to.equal('Pending')
    expect(reasonOf(anExperiment())).to.not.have.property('since')
  })

  it('has a remedy without markup, whole, and none for a reason of another version', () => {
    for (const reason of Object.keys(REASONS)) expect(remedyOf(reason), reason).to.match(/^[^`]+\.$/)
    expect(remedyOf('toString')).to.equal('')
  })
})

describe('what is found about pods that are not ready', () => {
  const unscheduled = { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes' }] }
  const pods = [
    aPod({ name: 'ready', isReady: true }),
    aPod({ name: 'a' }),
    aPod({ name: 'b', containers: [crashing()] }),
    aPod({ name: 'c', status: unscheduled, containers: [] }),
  ]
  const events = viewEvents([
    anEvent(POD_REF, { message: 'older', lastTimestamp: '2026-11-21T09:00:00Z' }),
    anEvent(POD_REF, { message: 'not found', lastTimestamp: '2026-11-21T09:40:00Z' }),
    anEvent(POD_REF, { message: 'Error: ImagePullBackOff', lastTimestamp: '2026-11-21T09:55:00Z' }),
    anEvent(FORK_REF, { reason: 'FailedCreate', message: 'quota' }),
    anEvent(FORK_REF, { type: 'Normal', message: 'scaled', lastTimestamp: '2026-11-21T09:59:00Z' }),
    anEvent(SELF, { reason: 'ApplyRefused', message: 'webhook' }),
  ])
  const of = { pods, events, fork: 'f', experiment: 'e', told: ['0 of 1 pods'] }

  it('is the worst container, why there is no node, and the newest Warning about each that tells a cause', () =>
    expect(found(of)).to.deep.equal([
      'cart: CrashLoopBackOff (before: OOMKilled with exit code 137), 4 restarts',
      'pod/c: 0/3 nodes',
      'pod/a: Failed: not found',
      'deployment/fork: FailedCreate: quota',
      'experimentdeployment/faster-cart: ApplyRefused: webhook',
    ]))

  it('is nothing where all are ready, and an echo where nothing else tells a cause', () => {
    expect(found({ ...of, pods: pods.slice(0, 1), events: [] })).to.deep.equal([])
    const echo = viewEvents([anEvent(POD_REF, { message: 'Error: ImagePullBackOff' })])
    expect(found({ ...of, pods: pods.slice(1, 2), events: echo })).to.include('pod/a: Failed: Error: ImagePullBackOff')
  })

  it('is not what the status says already, nor an echo of that', () => {
    const told = ['0 of 1 pods; pod/a: Failed: not found', 'webhook; deployment/fork']
    expect(found({ ...of, pods: pods.slice(1, 2), told }).slice(1)).to.deep.equal([
      'deployment/fork: FailedCreate: quota',
    ])
  })

  it('is nothing about a fork that is not there', () =>
    expect(
      found({ ...of, pods: [], fork: undefined, events: viewEvents([anEvent({ ...FORK_REF, uid: '' })]) }),
    ).to.deep.equal([]))
})
