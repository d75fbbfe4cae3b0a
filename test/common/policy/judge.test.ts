import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { overrideEffect } from '../../../common/override/changes.ts'
import { judge } from '../../../common/policy/judge.ts'
import type { PolicyInput } from '../../../common/policy/policy.ts'
import { aDeployment, anExperiment, imageOverride } from '../../builders.ts'
import { workload } from '../override/workload.ts'
import { aPairOfForks, aPolicy, aPolicyInput, findings } from './policy-input.ts'

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

  it('N10: finds no empty value that the API server leaves out, and each that it stores', () => {
    const found = (pod: JsonObject) => {
      const experiment = anExperiment({ overrideSpec: { template: { spec: pod } } })
      const { plain, changed } = aPairOfForks(experiment, aDeployment())
      const forks = overrideEffect({ plain, changed, shape: workload() })
      return findings({ deniedOverridePaths: ['template.spec.**'] }, aPolicyInput({ experiment, forks }))
    }
    expect(found({ priorityClassName: '', hostNetwork: false, nodeSelector: {} })).to.deep.equal([])
    expect(found({ hostUsers: false })).to.have.length(1)
  })
})
