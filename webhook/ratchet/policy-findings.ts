import { warning } from '../../common/api/conditions.ts'
import { withDefaults } from '../../common/api/defaults.ts'
import type { ExperimentDeployment, FieldError, Warning } from '../../common/api/types.ts'
import { findingParts } from '../../common/policy/judge.ts'
import { copiesOf } from '../../common/policy/limits.ts'
import type { PolicyFinding, ValidationAction } from '../../common/policy/policy.ts'
import { joinReplaced } from '../../common/policy/replaced-lists.ts'
import { wholeClauses } from '../../common/text/fitted.ts'
import { ratchet } from './ratchet.ts'

type Judged = { readonly spec: ExperimentDeployment['spec']; readonly findings: readonly PolicyFinding[] }

/** What the findings of policies mean for a review. */
export interface PolicyOutcome {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly Warning[]
  /** the policies and fields, without values; undefined if no finding is audited */
  readonly audit: string | undefined
  /** the actions of all findings, for the metrics */
  readonly actions: readonly ValidationAction[]
}

/**
 * Refuses what policies deny now and did not deny before. If they did, it is only a warning, also with another number
 * that is smaller than before. `before` (of the stored experiment, if any) is called only if something is denied.
 */
export function policyOutcome({ spec, findings }: Judged, before: () => Judged | undefined): PolicyOutcome {
  const acting = (action: ValidationAction) => findings.filter(({ actions }) => actions.includes(action))
  const denials = acting('Deny')
  const denied = denials.map(({ error }) => error)
  const former = denied.length > 0 ? before() : undefined
  const { errors, known } = ratchet(
    { spec, errors: denied },
    () => former && { spec: former.spec, errors: former.findings.map(({ error }) => error) },
  )
  const smaller = denials.filter((finding) => former && isSmaller(finding, spec, former)).map(({ error }) => error)
  const refused = errors.filter((error) => !smaller.includes(error))
  // Each path is compared with the stored experiment alone. Only then those of one list are joined.
  const linesOf = (of: readonly FieldError[]) => joinReplaced(denials.filter(({ error }) => of.includes(error)))
  const warned = [...linesOf([...known, ...smaller]), ...joinReplaced(acting('Warn'))]
  const audited = acting('Audit').map(({ policy, error }) => `${policy}: ${error.field}`)
  return {
    errors: linesOf(refused).map(({ error }) => error),
    warnings: warned.map((finding) => warning('Policy', ...findingParts(finding))),
    actions: findings.flatMap(({ actions }) => actions),
    audit: audited.length > 0 ? wholeClauses(MAX_AUDIT, audited.join('; ')) : undefined,
  }
}

/** The longest audit annotation that is written, in characters. The API server has no limit. */
const MAX_AUDIT = 2_048

/** Whether a limit that was exceeded before is about a number that becomes smaller. It may still be too large. */
function isSmaller({ policy, about, error }: PolicyFinding, now: Judged['spec'], former: Judged): boolean {
  const { field } = error
  const isSame = (other: PolicyFinding) =>
    other.policy === policy && other.about === about && other.error.field === field
  const before = former.spec
  if (!former.findings.some(isSame)) return false
  if (field === 'spec.replicas') return podsOf(now) < podsOf(before)
  if (field === 'spec.ttlSeconds') return (now.ttlSeconds ?? Infinity) < (before.ttlSeconds ?? Infinity)
  return false
}

/** The pods that `spec.replicas` asks for, with those of a twin. */
const podsOf = (spec: Judged['spec']): number => withDefaults(spec).replicas * copiesOf(spec)
