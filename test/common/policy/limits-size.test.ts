import { expect } from 'chai'
import type { Strategy } from '../../../common/api/strategy.ts'
import { judge } from '../../../common/policy/judge.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { anExperiment } from '../../builders.ts'
import { aPolicy, aPolicyInput, findings } from './policy-input.ts'

const inside = (scaleDownSource: boolean): Strategy => ({ canary: { scaleDownSource, steps: [{ setWeight: 20 }] } })
const inputOf = (strategy: Strategy) => aPolicyInput({ experiment: anExperiment({ strategy }) })
const found = (policy: ExperimentPolicySpec, strategy = inside(true)) => findings(policy, inputOf(strategy))

const REFUSED =
  'spec.strategy.canary.scaleDownSource: not allowed; leave it out, or ask for allowScaleDownSource (policy "limits")'

describe('the limit of a policy on the size of a source', () => {
  it('refuses a canary that makes its source smaller, unless the policy allows that', () => {
    expect(found({})).to.deep.equal([REFUSED])
    expect(found({ allowScaleDownSource: false })).to.deep.equal([REFUSED])
    expect(found({ allowScaleDownSource: true })).to.deep.equal([])
  })

  it('says nothing of a canary beside its source, nor of a blue-green', () => {
    expect(found({}, inside(false))).to.deep.equal([])
    expect(found({}, { canary: {} })).to.deep.equal([])
    expect(found({}, { blueGreen: { activeService: 'cart', autoPromotionEnabled: false } })).to.deep.equal([])
  })

  it('refuses it beside approverNotRequester, whatever else the policy allows: the spec alone changes the source', () => {
    for (const allowScaleDownSource of [true, false])
      expect(found({ approverNotRequester: true, allowScaleDownSource })).to.deep.equal([
        'spec.strategy.canary.scaleDownSource: not allowed, because it changes the source before somebody else approves; leave it out (policy "limits")',
      ])
    expect(found({ approverNotRequester: false, allowScaleDownSource: true })).to.deep.equal([])
  })

  it('is about the content of an experiment, and asks every policy that applies', () => {
    const policies = [aPolicy({ allowScaleDownSource: true }, 'allows'), aPolicy({}, 'silent')]
    expect(judge(policies, inputOf(inside(true))).map(({ policy, about }) => [policy, about])).to.deep.equal([
      ['silent', 'content'],
    ])
    expect(judge([], inputOf(inside(true)))).to.deep.equal([])
  })
})
