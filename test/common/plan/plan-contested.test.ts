import { expect } from 'chai'
import { plan } from '../../../common/plan/plan.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

const MESSAGE = `another client keeps changing deployment/${FORK}; each change is undone within a minute`
const left: Given = { fork: theFork(), experiment: anExperiment({ status: leftAt(3) }) }
/** Another client has changed the fork since. */
const drifted: Given = { ...left, experiment: anExperiment({ status: leftAt(2) }) }
const conclusionOf = (given: Given) => plan(someFacts(given)).conclusion

describe('R17: the plan for a fork that another client keeps changing', () => {
  it('tells so, and not its health, until it was left alone for long enough', () => {
    expect(conclusionOf(left)).to.deep.include({ is: 'settled', reason: 'Available' })
    const decision = { is: 'waiting', reason: 'Contested', message: MESSAGE }
    expect(conclusionOf({ ...left, contestedMs: 5_000 })).to.deep.include({ ...decision, retryAfterMs: 5_000 })
    expect(conclusionOf({ ...left, contestedMs: 90_000 })).to.deep.include({ ...decision, retryAfterMs: 60_000 })
  })

  it('tells the same before and after a repair, at its pace', () => {
    const now = plan(someFacts({ ...drifted, contestedMs: 90_000 }))
    expect(now.writes.map(({ verb }) => verb)).to.deep.equal(['apply'])
    expect(now.conclusion).to.deep.include({ reason: 'Contested', message: MESSAGE })
    const later = plan(someFacts({ ...drifted, contestedMs: 90_000, driftBackoffMs: 7_000 }))
    expect(later.writes).to.deep.equal([])
    expect(later.conclusion).to.deep.include({ reason: 'Contested', message: MESSAGE, retryAfterMs: 7_000 })
  })

  it('tells what is worse', () => {
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }]
    const fork = { ...theFork(), status: { observedGeneration: 3, conditions } }
    expect(conclusionOf({ ...left, fork, contestedMs: 5_000 }).reason).to.equal('ReplicaFailure')
  })
})
