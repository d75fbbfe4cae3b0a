import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { objectOr } from '../../../common/json/json.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { anExperiment, aPolicy, FORK, NO_POLICIES } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { leftAt, someFacts, theFork } from '../plan/some-facts.ts'

/** A fork to which somebody added `hostNetwork`. */
function editedFork(): KubeObject {
  const fork = theFork()
  const { template } = objectOr(fork.spec)
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:hostNetwork': {} } } } }
  const edit = { manager: 'kubectl-edit', operation: 'Update', fieldsV1 }
  const pod = { ...objectOr(objectOr(template).spec), hostNetwork: true }
  return {
    ...fork,
    metadata: { ...fork.metadata, managedFields: [...(fork.metadata.managedFields ?? []), edit] },
    spec: { ...objectOr(fork.spec), template: { ...objectOr(template), spec: pod } },
  }
}

function resultUnder(spec: ExperimentPolicySpec) {
  const policies = { ...NO_POLICIES, policies: [aPolicy(spec)] }
  const facts = someFacts({ fork: editedFork(), experiment: anExperiment({ status: leftAt(3) }), policies })
  const planned = plan(facts)
  const compliant = statusOf(facts, planned.conclusion).conditions?.find(({ type }) => type === 'PolicyCompliant')
  const { reason } = planned.conclusion
  return { writes: planned.writes, reason, said: `${compliant?.status}: ${compliant?.message}` }
}

describe('policies on what somebody added to a fork by hand', () => {
  it('S8: tell a denied field, with its place in the fork, and change nothing', () => {
    const { writes, reason, said } = resultUnder({ deniedOverridePaths: ['template.spec.hostNetwork'] })
    const place = `deployment/${FORK}: spec.template.spec.hostNetwork`
    expect(said).to.equal(`False: ${place}: added by hand: cannot be changed (policy "limits")`)
    expect([writes, reason]).to.deep.equal([[], 'Available'])
  })

  it('S8: tell a field that is not allowed', () =>
    expect(resultUnder({ allowedOverridePaths: ['template.spec.containers[*].image'] }).said).to.contain(
      'spec.template.spec.hostNetwork: added by hand: cannot be changed; allowed paths:',
    ))

  it('S8: find nothing in what they allow', () =>
    expect(resultUnder({ allowedOverridePaths: ['template.spec'], maxReplicas: 3 }).said).to.equal(
      'True: policies: limits',
    ))

  it('S8: show no more than the field where they only audit', () =>
    expect(
      resultUnder({ deniedOverridePaths: ['template.spec.hostNetwork'], validationActions: ['Audit'] }).said,
    ).to.equal(`False: deployment/${FORK}: spec.template.spec.hostNetwork (policy "limits")`))
})
