import { expect } from 'chai'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { anExperiment, aPolicy, NO_POLICIES } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'

const CREATED = '2026-11-21T09:00:00Z'
const created = (uid: string, of: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ ...of, metadata: { uid, name: uid, creationTimestamp: CREATED, ...of.metadata } })

/** The reason where another experiment was there first and a policy allows one for the source. */
function reasonBeside(experiment: ExperimentDeployment, replicas?: number): string {
  const others = [{ experiment, replicas }]
  const policies = { ...NO_POLICIES, policies: [aPolicy({ maxExperimentsPerSource: 1 })], others, othersAsOf: 7 }
  return plan(someFacts({ experiment: created('m'), policies })).conclusion.reason
}

describe('another experiment that has ended', () => {
  const deleted = created('a', { metadata: { deletionTimestamp: '2026-11-21T09:30:00Z' } })
  const expired = created('a', { ttlSeconds: 1 })

  it('S3: counts as long as its fork is there, because a finalizer can delay a deletion for any time', () => {
    expect(reasonBeside(deleted, 1)).to.equal('LimitReached')
    expect(reasonBeside(expired, 1)).to.equal('LimitReached')
  })

  it('does not count without a fork', () => {
    expect(reasonBeside(deleted)).to.equal('Updating')
    expect(reasonBeside(expired)).to.equal('Updating')
    expect(reasonBeside(created('a'))).to.equal('LimitReached')
  })
})
