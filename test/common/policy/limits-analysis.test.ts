import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import type { ExperimentPolicySpec, PolicyInput } from '../../../common/policy/policy.ts'
import { anExperiment } from '../../builders.ts'
import { aPolicyInput, findings } from './policy-input.ts'

const found = (policy: ExperimentPolicySpec, analysis: AnalysisSpec | undefined, of: Partial<PolicyInput> = {}) =>
  findings(policy, aPolicyInput({ experiment: anExperiment(analysis ? { analysis } : {}), ...of }))

const PROVIDERS = [
  { field: 'spec.analysis.metrics[0].provider', name: 'prometheus' },
  { field: 'spec.analysis.templates[0]', name: 'new-relic' },
]
const NONE = {} // nothing is limited, but for a promotion without proof

describe('the limits of a policy on analyses', () => {
  it('requireAnalysis: refuses an experiment without one', () => {
    const required = 'spec.analysis: required; set it; {} checks only the health of the fork (policy "limits")'
    expect(found({ requireAnalysis: true }, undefined)).to.deep.equal([required])
    expect(found({ requireAnalysis: true }, {})).to.deep.equal([])
    expect(found({ requireAnalysis: false }, undefined)).to.deep.equal([])
    expect(found(NONE, undefined)).to.deep.equal([])
  })

  it('allowedProviders: refuses another one, also of a template', () => {
    const said = (allowedProviders: readonly string[]) => found({ allowedProviders }, {}, { providers: PROVIDERS })
    expect(said(['new-relic', 'prometheus'])).to.deep.equal([])
    expect(said(['prometheus', 'other'])).to.deep.equal([
      'spec.analysis.templates[0]: provider "new-relic" is not allowed; use prometheus or other (policy "limits")',
    ])
    expect(said([])).to.deep.equal([
      'spec.analysis.metrics[0].provider: provider "prometheus" is not allowed; only kubernetes is allowed (policy "limits")',
    ])
    expect(found({ allowedProviders: [] }, {})).to.deep.equal([])
    expect(found(NONE, {}, { providers: PROVIDERS })).to.deep.equal([])
  })

  it('allowTimeoutPromotion: without it nothing is promoted without proof', () => {
    const refused = 'spec.analysis.onTimeout: Promote is not allowed; use RollBack or Keep (policy "limits")'
    expect(found(NONE, { onTimeout: 'Promote' })).to.deep.equal([refused])
    expect(found({ allowTimeoutPromotion: false }, { onTimeout: 'Promote' })).to.deep.equal([refused])
    expect(found({ allowTimeoutPromotion: true }, { onTimeout: 'Promote' })).to.deep.equal([])
    for (const onTimeout of ['RollBack', 'Keep'] as const) expect(found(NONE, { onTimeout })).to.deep.equal([])
  })
})
