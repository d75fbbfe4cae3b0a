import { expect } from 'chai'
import { POLICIES_NOT_READ } from '../../../common/assess/checks.ts'
import type { PolicyDecision } from '../../../common/outcome/policy-decision.ts'
import { policyCompliant } from '../../../common/plan/status.ts'
import type { PolicyFinding } from '../../../common/policy/policy.ts'

const finding = (policy: string, actions: PolicyFinding['actions']): PolicyFinding => ({
  policy,
  actions,
  about: 'content',
  error: { field: 'spec.replicas', message: 'must be at most 1, got 3', cause: 'FieldValueForbidden' },
})
const decided = (policies: readonly string[], findings: readonly PolicyFinding[] = []): PolicyDecision => ({
  is: 'decided',
  policies,
  findings,
})

const cases: Readonly<Record<string, readonly [PolicyDecision | undefined, status: string, message: string]>> = {
  'is unknown when the experiment ends': [
    undefined,
    'Unknown Pending',
    'not evaluated: the experiment needs no fork any more',
  ],
  'is unknown when the policies cannot be read': [{ is: 'notRead' }, 'Unknown PolicyNotRead', POLICIES_NOT_READ],
  'is false without consent': [
    {
      is: 'notShared',
      policies: ['limits'],
      refusing: [],
      reason: 'SourceNamespaceExcluded',
      message: 'workloads in namespace "kube-system" are never forked from elsewhere',
    },
    'False SourceNamespaceExcluded',
    'workloads in namespace "kube-system" are never forked from elsewhere',
  ],
  'is true when no policy applies': [decided([]), 'True Compliant', 'no policy applies'],
  'is true when no policy finds anything, and names them': [
    decided(['limits', 'images']),
    'True Compliant',
    'policies: limits, images',
  ],
  'is false with a finding that denies': [
    decided(['limits'], [finding('limits', ['Deny'])]),
    'False PolicyViolated',
    'spec.replicas: must be at most 1, got 3',
  ],
  'is false with a finding that warns': [
    decided(['limits'], [finding('limits', ['Warn'])]),
    'False PolicyViolated',
    'spec.replicas: must be at most 1, got 3',
  ],
  'is false with a finding that is only audited, and shows no value': [
    decided(['limits'], [finding('limits', ['Audit'])]),
    'False PolicyViolated',
    'spec.replicas (policy "limits")',
  ],
}

describe('the condition PolicyCompliant', () => {
  for (const [sentence, [decision, status, message]] of Object.entries(cases))
    it(sentence, () => {
      const draft = policyCompliant(decision)
      expect([draft.type, `${draft.status} ${draft.reason}`, draft.message]).to.deep.equal([
        'PolicyCompliant',
        status,
        message,
      ])
    })
})
