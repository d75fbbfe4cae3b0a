import { expect } from 'chai'
import { DERIVED_HASH } from '../../../common/api/names.ts'
import { plan } from '../../../common/plan/plan.ts'
import { anExperiment } from '../../builders.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

const fork = theFork()
const ofOtherVersion = {
  ...fork,
  metadata: { ...fork.metadata, annotations: { ...fork.metadata.annotations, [DERIVED_HASH]: 'of another version' } },
}
const planned = (given: Given) => plan(someFacts(given))
/** The source as the status of the last pass has it. */
const source = planned({ fork: ofOtherVersion }).conclusion.source?.()
const status = source ? { ...leftAt(3), source } : leftAt(3)
const upgraded: Given = { fork: ofOtherVersion, experiment: anExperiment({ status }) }

describe('R13: the plan for a fork that another version of the controller derived', () => {
  it('applies it at once, and says why', () => {
    const { writes, conclusion } = planned(upgraded)
    expect(writes.map(({ verb }) => verb)).to.deep.equal(['apply'])
    expect(conclusion).to.deep.include({ reason: 'Updating' })
    expect(conclusion.message).to.include('this version derives it differently')
  })

  it('writes nothing more when it has its own hash', () =>
    expect(planned({ ...upgraded, fork }).writes).to.deep.equal([]))

  it('keeps a pace if the other version writes its hash again', () => {
    const { writes, conclusion } = planned({ ...upgraded, driftBackoffMs: 8_000 })
    expect(writes).to.deep.equal([])
    expect(conclusion).to.deep.include({ is: 'waiting', retryAfterMs: 8_000 })
  })
})
