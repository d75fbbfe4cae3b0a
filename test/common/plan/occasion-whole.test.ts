import { expect } from 'chai'
import { WHOLE_DERIVED_HASH } from '../../../common/api/names.ts'
import type { Labels } from '../../../common/api/object.ts'
import type { DesiredFork } from '../../../common/assess/assess.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { hasDrifted } from '../../../common/plan/occasion.ts'
import { anExperiment } from '../../builders.ts'
import { assess } from '../of-facts.ts'
import { leftAt, someFacts, theFork } from './some-facts.ts'

function wantedBy(facts: Facts): DesiredFork {
  const assessment = assess(facts)
  if (assessment.is !== 'wanted') throw new Error('no fork is wanted')
  return assessment
}

describe('a fork has drifted by its whole hash', () => {
  const fork = theFork()
  const facts = someFacts({ experiment: anExperiment({ replicas: 1, status: leftAt(3) }), fork })
  const { [WHOLE_DERIVED_HASH]: whole = '', ...short } = fork.metadata.annotations ?? {}
  const withAnnotations = (annotations: Labels) => ({ ...fork, metadata: { ...fork.metadata, annotations } })
  const { experimentResourceRef, ...left } = leftAt(3)
  const told = (wholeHash: string) =>
    someFacts({
      experiment: anExperiment({
        replicas: 1,
        status: { ...left, experimentResourceRef: { ...experimentResourceRef, wholeHash } },
      }),
      fork: theFork(),
    })
  const drifts = (annotations: Labels, of = facts) => hasDrifted(of, withAnnotations(annotations), wantedBy(of))

  it('N31: not where no write has given it one yet', () => expect(drifts(short)).to.equal(false))

  it('N31: where it has another one, although the short one is equal', () =>
    expect(drifts({ ...short, [WHOLE_DERIVED_HASH]: '0'.repeat(64) })).to.equal(true))

  it('N31: where the status tells that another client has removed it', () => {
    expect(drifts(short, told(whole))).to.equal(true)
    expect(drifts({ ...short, [WHOLE_DERIVED_HASH]: whole }, told(whole))).to.equal(false)
  })
})
