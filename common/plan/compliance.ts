import type { ConditionDraft } from '../api/conditions.ts'
import { POLICIES_NOT_READ } from './checks.ts'
import { findingsOf, formatFindings, type PolicyDecision } from './policy-decision.ts'

/** The condition that reports the decision of the policies. Policies never delete a fork. */
export function policyCompliant(decision: PolicyDecision | undefined): ConditionDraft {
  const draft = (
    status: ConditionDraft['status'],
    reason: ConditionDraft['reason'],
    message: string,
  ): ConditionDraft => ({
    type: 'PolicyCompliant',
    status,
    reason,
    message,
  })
  switch (decision?.is) {
    case undefined:
      return draft('Unknown', 'Pending', 'not evaluated: the experiment has expired or is being deleted')
    case 'unknown':
      return draft('Unknown', 'PolicyNotRead', POLICIES_NOT_READ)
    case 'notShared':
      return draft(
        'False',
        'SourceNotAllowed',
        'the namespace of the source does not share its workloads with this one',
      )
    case 'decided': {
      const findings = findingsOf(decision)
      if (findings.length > 0) return draft('False', 'PolicyViolated', formatFindings(findings))
      const { policies } = decision
      return draft(
        'True',
        'Compliant',
        policies.length === 0 ? 'no policy applies' : `policies: ${policies.join(', ')}`,
      )
    }
  }
}
