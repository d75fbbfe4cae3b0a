import type { Finding } from '../../common/api/conditions.ts'
import { UNREAD } from './checks.ts'
import { findingsOf, type Judgement, tellFindings } from './policy-check.ts'

/** The condition that tells what policies say of an experiment; they never remove anything. */
export function policyCompliant(judgement: Judgement | undefined): Finding {
  const told = (status: Finding['status'], reason: Finding['reason'], message: string): Finding => ({
    type: 'PolicyCompliant',
    status,
    reason,
    message,
  })
  switch (judgement?.is) {
    case undefined:
      return told('Unknown', 'Pending', 'no policy is asked while there is to be no fork')
    case 'unread':
      return told('Unknown', 'PolicyNotRead', UNREAD)
    case 'unshared':
      return told('False', 'SourceNotAllowed', 'the namespace of the source does not allow it')
    case 'judged': {
      const findings = findingsOf(judgement)
      if (findings.length > 0) return told('False', 'PolicyViolated', tellFindings(findings))
      const { policies } = judgement
      return told('True', 'Compliant', policies.length === 0 ? 'no policy applies' : `policies: ${policies.join(', ')}`)
    }
  }
}
