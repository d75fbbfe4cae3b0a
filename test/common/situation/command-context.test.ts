import { expect } from 'chai'
import { commandedRun } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment } from '../plan/some-run.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const CREATED = '2026-11-21T11:00:00Z'

/** Why commands to a new canary are not obeyed any more. */
function over({ metadata = {}, ttlSeconds = 7_200 }: { metadata?: object; ttlSeconds?: number }): unknown {
  const experiment = aRunExperiment({ ttlSeconds, metadata: { creationTimestamp: CREATED, ...metadata } })
  return commandedRun({ ...someFacts({ experiment }), now: NOW }, undefined)?.over
}

describe('what a command depends on', () => {
  it('is whether the experiment still lives', () => {
    expect(over({})).to.equal(undefined)
    expect(over({ ttlSeconds: 60 })).to.equal('the experiment has expired; raise spec.ttlSeconds first')
    expect(over({ metadata: { deletionTimestamp: CREATED } })).to.equal('the experiment is being deleted')
  })

  it('has the stored times, and nothing of a promotion before there is one', () =>
    expect(commandedRun(someFacts({ experiment: aRunExperiment({}) }), undefined)).to.deep.include({
      mayHaveWritten: false,
      promotion: undefined,
      noUndo: undefined,
    }))
})
