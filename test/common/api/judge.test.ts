import { expect } from 'chai'
import { judge } from '../../../common/api/judge.ts'
import { aJudged, aPolicy } from './judged.ts'

describe('judge', () => {
  it('gives the findings of every policy, each with its name and its actions', () => {
    const policies = [
      aPolicy({ maxReplicas: 0 }, 'first'),
      aPolicy({ maxReplicas: 0, validationActions: ['Warn', 'Audit'] }, 'second'),
      aPolicy({ maxReplicas: 0, namespaceSelector: { matchLabels: { team: 'other' } } }, 'third'),
    ]
    expect(judge(policies, aJudged())).to.deep.equal([
      {
        policy: 'first',
        actions: ['Deny'],
        about: 'terms',
        error: { field: 'spec.replicas', message: '1 is more than 0 (policy "first")', cause: 'FieldValueInvalid' },
      },
      {
        policy: 'second',
        actions: ['Warn', 'Audit'],
        about: 'terms',
        error: { field: 'spec.replicas', message: '1 is more than 0 (policy "second")', cause: 'FieldValueInvalid' },
      },
    ])
  })
})
