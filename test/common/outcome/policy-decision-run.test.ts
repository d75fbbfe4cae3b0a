import { expect } from 'chai'
import { policyCompliant } from '../../../common/plan/status.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { aPolicy, NO_POLICIES } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { aRun, type RunWorld } from '../plan/some-run.ts'

const under = (spec: ExperimentPolicySpec) => ({ ...NO_POLICIES, policies: [aPolicy(spec)] })

/** A run after the end of its first pause: its next step wants three pods. */
function aRunUnder(spec: ExperimentPolicySpec): RunWorld {
  const run = aRun(undefined, { policies: under(spec) })
  run.rest()
  expect([run.step(), run.pods()]).to.deep.equal(['1/7 Paused', 1])
  run.wait(3_600)
  run.rest()
  return run
}

describe('the decision of policies about a run', () => {
  it('names the step that they forbid, before it is reached', () => {
    const run = aRun(undefined, { policies: under({ maxReplicas: 2 }) })
    const { policy } = plan(run.facts()).conclusion
    const { status, message } = policyCompliant(policy)
    expect(status).to.equal('False')
    expect(message).to.equal(
      'spec.strategy.canary.steps[2].setWeight: needs 3 pods, at most 2 are allowed (policy "limits")',
    )
  })

  it('does not let it enter a step that they forbid, but the steps before it', () => {
    const run = aRunUnder({ maxReplicas: 2 })
    expect([run.step(), run.pods(), run.reasonOf('Stalled')]).to.deep.equal(['2/7 Progressing', 1, 'PolicyDenied'])
  })

  it('lets it enter a step that they only warn about', () => {
    const run = aRunUnder({ maxReplicas: 2, validationActions: ['Warn'] })
    expect([run.step(), run.pods()]).to.deep.equal(['3/7 Paused', 3])
  })

  it('lets it go on once they allow the step', () => {
    const run = aRunUnder({ maxReplicas: 2 })
    run.world.policies = under({ maxReplicas: 3 })
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['3/7 Paused', 3])
  })

  it('leaves the pods of a step that it has entered', () => {
    const run = aRunUnder({ maxReplicas: 3 })
    run.world.policies = under({ maxReplicas: 2 })
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['3/7 Paused', 3])
  })
})
