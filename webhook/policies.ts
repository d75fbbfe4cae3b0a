import { withDefaults } from '../common/api/defaults.ts'
import { judge } from '../common/api/judge.ts'
import type { ServiceEndpoints } from '../common/api/policy.ts'
import {
  type Among,
  applicable,
  type Concern,
  type ExperimentPolicy,
  type Forks,
  limitedBy,
  type NamespaceView,
  type PolicyFinding,
  sharesSourcesWith,
  type ValidationAction,
} from '../common/api/policy.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'
import { isPinned } from '../common/workload/pinned.ts'
import { type Asked, isRevival } from './asked.ts'
import { ratchet } from './ratchet.ts'
import { warning } from './warnings.ts'

/** What the platform team says about a request: the policies that apply, and what they look at. */
export interface Rules {
  readonly policies: readonly ExperimentPolicy[]
  readonly namespace: NamespaceView
  readonly sourceNamespace: NamespaceView
}

/** Whether experiments of the request's namespace may fork sources of that of its source. */
export const isShared = ({ policies, namespace, sourceNamespace }: Rules): boolean =>
  sharesSourcesWith(policies, sourceNamespace, namespace.name)

/** The mistake of a request without that consent. Says nothing of what is there. */
export const notShared = ({ namespace, sourceNamespace }: Rules): FieldError => ({
  field: 'spec.sourceRef.namespace',
  message:
    `namespace "${sourceNamespace.name}" does not share its workloads with "${namespace.name}"; ` +
    'an ExperimentPolicy on it can, by allowSourcesFrom',
  cause: 'FieldValueForbidden',
})

/** Which other experiments a limit of `rules` counts. */
export const countedBy = ({ policies, namespace, sourceNamespace }: Rules): Among =>
  limitedBy(applicable(policies, namespace, sourceNamespace))

/** Whether there are such. */
export function isCounting(rules: Rules): boolean {
  const { source, namespace } = countedBy(rules)
  return source || namespace
}

/** What one request is judged by. */
export interface Case {
  readonly asked: Asked
  readonly rules: Rules
  readonly isSourceMissing: boolean
  readonly forks: Forks | undefined
  /** of an update: as it was */
  readonly formerForks: () => Forks | undefined
  readonly others: readonly ExperimentDeployment[] | undefined
  readonly endpoints: readonly ServiceEndpoints[] | undefined
  readonly now: Date
}

/** What policies make of a request. */
export interface Ruling {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
  /** policies and fields, without values; undefined where nothing is to be audited */
  readonly audit: string | undefined
  /** what the findings do, one for each */
  readonly actions: readonly ValidationAction[]
  /** of what they deny and yet admit, for it is old, what keeps the controller from most */
  readonly obstacle: Concern | undefined
}

/** Everything that policies have against a request; what they had against the stored resource too is only told. */
export function ruling(of: Case): Ruling {
  const { experiment } = of.asked
  // what was over had neither pods nor a place; what was scaled to none kept its place, and of a share nothing is known
  const previous = isRevival(of.asked, of.now) ? undefined : of.asked.previous
  const found = findings(of, experiment, of.forks)
  const denied = found.filter(acting('Deny'))
  const { errors, known } = ratchet({ spec: experiment.spec, errors: denied.map(({ error }) => error) }, () => {
    // one that was pinned needed no source
    const isSourceMissing = of.isSourceMissing && previous !== undefined && !isPinned(previous)
    const before = previous && findings({ ...of, isSourceMissing }, previous, of.formerForks())
    return previous && before && { spec: previous.spec, errors: before.map(({ error }) => error) }
  })
  const relieved = errors.filter(
    ({ field }) => previous !== undefined && lessens(field, experiment.spec, previous.spec),
  )
  const admitted = [...known, ...relieved]
  const told = admitted.map(({ field, message }) => `${field}: ${message}`)
  const concerns = denied.filter(({ error }) => admitted.includes(error)).map(({ about }) => about)
  const warned = found.filter(acting('Warn')).map(({ policy, error }) => `${policy}: ${error.field}: ${error.message}`)
  const audited = found.filter(acting('Audit')).map(({ policy, error }) => `${policy}: ${error.field}`)
  return {
    errors: errors.filter((error) => !relieved.includes(error)),
    warnings: [...told, ...warned].map((text) => warning('Policy', text)),
    actions: found.flatMap(({ actions }) => actions),
    obstacle: BY_WEIGHT.find((about) => concerns.includes(about)),
    audit: audited.length > 0 ? audited.join('; ').slice(0, MAX_AUDIT) : undefined,
  }
}

const BY_WEIGHT: readonly Concern[] = ['terms', 'share', 'places']

/** Longest annotation of an audit entry that we write; the API server has no bound of its own. */
const MAX_AUDIT = 2_048

const acting =
  (action: PolicyFinding['actions'][number]) =>
  ({ actions }: PolicyFinding): boolean =>
    actions.includes(action)

const findings = (
  { rules, ...of }: Case,
  experiment: ExperimentDeployment,
  forks: Forks | undefined,
): readonly PolicyFinding[] =>
  judge(rules.policies, {
    experiment,
    namespace: rules.namespace,
    sourceNamespace: rules.sourceNamespace,
    isSourceMissing: of.isSourceMissing,
    forks,
    others: of.others,
    endpoints: of.endpoints,
    now: of.now,
  })

/** Whether a number that policies bound becomes smaller: still too large, it is better than it was. */
function lessens(field: string, now: ExperimentDeployment['spec'], before: ExperimentDeployment['spec']): boolean {
  if (field === 'spec.replicas') return withDefaults(now).replicas < withDefaults(before).replicas
  if (field === 'spec.ttlSeconds') return (now.ttlSeconds ?? Infinity) < (before.ttlSeconds ?? Infinity)
  return false
}
