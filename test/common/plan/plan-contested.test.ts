import { expect } from 'chai'
import { anExperiment, FORK } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'
import { aRun, aRunExperiment } from './some-run.ts'

const MESSAGE = `another client keeps changing deployment/${FORK}; each change is undone within a minute`
const left: Given = { fork: theFork(), experiment: anExperiment({ status: leftAt(3) }) }
/** Another client has changed the fork since. */
const drifted: Given = { ...left, experiment: anExperiment({ status: leftAt(2) }) }
const conclusionOf = (given: Given) => plan(someFacts(given)).conclusion

describe('R17: the plan for a fork that another client keeps changing', () => {
  it('N18: tells the health of a fork that is as it should be, because only its next repair waits', () => {
    for (const contestedMs of [0, 5_000])
      expect(conclusionOf({ ...left, contestedMs })).to.deep.include({ is: 'settled', reason: 'Available' })
  })

  it('N18: counts a step of a run at once', () => {
    const run = aRun(aRunExperiment({ strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } }))
    run.pass()
    const { conclusion } = plan({ ...run.facts(), contestedMs: 60_000 })
    expect(conclusion.run?.moved?.reason).to.equal('StepCompleted')
  })

  it('tells so before a repair and with it', () => {
    const now = plan(someFacts({ ...drifted, contestedMs: 90_000 }))
    expect(now.writes.map(({ verb }) => verb)).to.deep.equal(['apply'])
    expect(now.conclusion).to.deep.include({ reason: 'Contested', message: MESSAGE, retryAfterMs: 60_000 })
    expect(now.healthOf, 'the health of the repaired fork is not told').to.equal(undefined)
    const later = plan(someFacts({ ...drifted, contestedMs: 90_000, driftBackoffMs: 7_000 }))
    expect(later.writes).to.deep.equal([])
    expect(later.conclusion).to.deep.include({ reason: 'Contested', message: MESSAGE, retryAfterMs: 7_000 })
  })
})
