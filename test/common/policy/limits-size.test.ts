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

  it('leaves maxShare, which counts the pods that the source has at each step', () => {
    const demands = [
      { field: 'spec.strategy.canary.steps[0].setWeight', pods: 1, open: 1, source: 4 },
      { field: 'spec.strategy.canary.scaleDownSource', pods: 4, open: 4, source: 1, isForPromotion: true },
    ]
    const shares = (maxShare: string, ready: number, sourceReplicas = 5) =>
      findings(
        { maxShare, allowScaleDownSource: true },
        { ...inputOf(inside(true)), demands, sourceReplicas, endpoints: [{ service: 'cart', ready }] },
      )
    expect(shares('80%', 5)).to.deep.equal([])
    expect(shares('79%', 5)).to.deep.equal([
      'spec.strategy.canary.scaleDownSource: experiments would have 4 of 5 endpoints of service/cart for the promotion, at most 79% is allowed; allowed from 2 pods of others (policy "limits")',
    ])
    expect(shares('20%', 5)).to.have.length(1)
    expect(shares('19%', 5)).to.have.length(2)
    // another workload has three of the endpoints
    expect(shares('50%', 8)).to.deep.equal([])
    // the source is small already
    expect(shares('20%', 1, 1)).to.have.length(1)
  })

  it('is about the content of an experiment, and asks every policy that applies', () => {
    const policies = [aPolicy({ allowScaleDownSource: true }, 'allows'), aPolicy({}, 'silent')]
    expect(judge(policies, inputOf(inside(true))).map(({ policy, about }) => [policy, about])).to.deep.equal([
      ['silent', 'content'],
    ])
    expect(judge([], inputOf(inside(true)))).to.deep.equal([])
  })
})
