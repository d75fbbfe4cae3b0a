import { expect } from 'chai'
import { judge } from '../../../common/policy/judge.ts'
import type { PolicyInput } from '../../../common/policy/policy.ts'
import { anExperiment, imageOverride } from '../../builders.ts'
import { aPolicy, aPolicyInput, findings } from './policy-input.ts'

describe('judge', () => {
  it('returns the findings of every policy that applies, each with its name and its actions', () => {
    const policies = [
      aPolicy({ maxReplicas: 0 }, 'first'),
      aPolicy({ maxReplicas: 0, validationActions: ['Warn', 'Audit'] }, 'second'),
      aPolicy({ maxReplicas: 0, namespaceSelector: { matchLabels: { team: 'other' } } }, 'third'),
    ]
    expect(judge(policies, aPolicyInput())).to.deep.equal([
      {
        policy: 'first',
        actions: ['Deny'],
        about: 'content',
        error: {
          field: 'spec.replicas',
          message: 'must be at most 0, got 1 (policy "first")',
          cause: 'FieldValueInvalid',
        },
      },
      {
        policy: 'second',
        actions: ['Warn', 'Audit'],
        about: 'content',
        error: {
          field: 'spec.replicas',
          message: 'must be at most 0, got 1 (policy "second")',
          cause: 'FieldValueInvalid',
        },
      },
    ])
  })

  it('checks neither paths nor images while the forks are not known', () => {
    const experiment = anExperiment({ overrideSpec: imageOverride('nginx') })
    const policy = { allowedImages: [], allowedOverridePaths: [], maxReplicas: 0 }
    const found = (input: PolicyInput) => findings(policy, input)
    expect(found(aPolicyInput({ experiment }))).to.have.length(3)
    expect(found(aPolicyInput({ experiment, forks: undefined }))).to.have.length(1)
  })
})
