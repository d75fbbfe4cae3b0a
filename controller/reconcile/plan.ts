import { hashOf } from '../../common/api/canonical.ts'
import { withDefaults } from '../../common/api/defaults.ts'
import { brokenLimits } from '../../common/api/limits.ts'
import { DERIVED_HASH } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import { brokenRules } from '../../common/api/rules.ts'
import type { FieldError, SourceStatus } from '../../common/api/types.ts'
import { derive } from '../../common/workload/desired.ts'
import { forkHealth } from '../../common/workload/health.ts'
import { isExperiment } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { Observed } from './observe.ts'
import type { Outcome, Verdict } from './outcome.ts'
import { verdictOf } from './outcome.ts'

/** A write that `apply` is to make. */
export type Action = {
  readonly do: 'apply'
  readonly kind: WorkloadKind
  readonly fork: KubeObject
  /** whether the fork is there and ours; the first apply must not take over what it finds */
  readonly exists: boolean
}

/** What to write, and what is concluded if that succeeds. */
export interface Plan {
  readonly actions: readonly Action[]
  readonly outcome: Outcome
}

type Objection = { readonly reason: Reason; readonly message: string } & Verdict
type Check = (observed: Observed) => Objection | undefined

const RETRY_MS = 60_000
/** A schema is fetched at start: it appears within moments, and its arrival wakes nobody. */
const SCHEMA_RETRY_MS = 1_000

const kindIsKnown: Check = ({ kind, experiment }) =>
  kind ? undefined : waiting('KindNotAvailable', `spec.sourceRef.kind: cannot fork a ${experiment.spec.sourceRef.kind}`)

const overrideIsWithinLimits: Check = ({ experiment }) => invalid(brokenLimits(experiment.spec.overrideSpec))

const overrideKeepsTheRules: Check = ({ experiment }) => invalid(brokenRules(experiment.spec))

const schemaIsThere: Check = ({ schema, kind }) =>
  schema ? undefined : waiting('SchemaNotAvailable', `the schema of ${kind?.kind} was not fetched yet`, SCHEMA_RETRY_MS)

const overrideFitsTheSchema: Check = ({ schema, experiment }) => {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  return invalid(schema?.check(overrideSpec, overrideType) ?? [])
}

const sourceIsThere: Check = ({ source, experiment: { metadata, spec }, fork }) => {
  if (source && !source.metadata.deletionTimestamp) return undefined
  const { kind, name } = spec.sourceRef
  const lack = `no ${kind.toLowerCase()}/${name} in ${metadata.namespace}`
  return fork
    ? { is: 'unready', reason: 'SourceNotFound', message: `${lack}; the experiment stays as it is` }
    : waiting('SourceNotFound', `${lack} yet`)
}

const sourceIsNoExperiment: Check = ({ source, experiment: { spec } }) =>
  source && isExperiment(source)
    ? stalled('SourceIsExperiment', `spec.sourceRef.name: ${spec.sourceRef.name} is itself an experiment`)
    : undefined

const nameIsFree: Check = ({ occupant }) =>
  occupant
    ? stalled('NameConflict', `${occupant.kind.toLowerCase()}/${occupant.metadata.name} is there and not ours`)
    : undefined

const CHECKS: readonly Check[] = [
  kindIsKnown,
  overrideIsWithinLimits,
  overrideKeepsTheRules,
  schemaIsThere,
  overrideFitsTheSchema,
  sourceIsThere,
  sourceIsNoExperiment,
  nameIsFree,
]

/** What is to be done about `observed`. Pure: the same world gives the same plan. */
export function plan(observed: Observed): Plan {
  for (const check of CHECKS) {
    const objection = check(observed)
    if (objection) return keep(observed, objection)
  }
  const { kind, source, experiment, fork, schema } = observed
  if (!kind || !source) throw new Error('plan: a check let an experiment without kind or source pass')
  const derived = derive({ kind, experiment, source, schema })
  if (derived.is === 'refused') return keep(observed, stalled(derived.reason, tell(derived.errors)))

  const desired = withHash(derived.fork)
  const from = sourceStatus(observed, kind, source, derived.templateHash)
  if (fork && isAsLeft(observed, fork, desired)) {
    const health = forkHealth(kind, fork)
    const { reason, message } = health
    return { actions: [], outcome: { ...verdictOf(health), reason, message, fork, source: from } }
  }
  const message = `${kind.kind.toLowerCase()}/${desired.metadata.name}: ${occasion(observed, desired, from)}`
  return {
    actions: [{ do: 'apply', kind, fork: withUid(desired, fork), exists: fork !== undefined }],
    outcome: { ...waiting('Updating', message), fork, source: from },
  }
}

const keep = ({ fork }: Observed, objection: Objection): Plan => ({
  actions: [],
  outcome: { ...objection, fork, source: undefined },
})

/** Whether nobody, we included, has anything left to change: see "How objects are written" of the design. */
function isAsLeft({ experiment }: Observed, fork: KubeObject, desired: KubeObject): boolean {
  const left = experiment.status?.experimentResourceRef
  return (
    left?.uid === fork.metadata.uid &&
    left?.generation === fork.metadata.generation &&
    includes(fork.metadata.annotations, desired.metadata.annotations) &&
    includes(fork.metadata.labels, desired.metadata.labels)
  )
}

type StringMap = Readonly<Record<string, string>> | undefined

const includes = (present: StringMap, ours: StringMap): boolean =>
  Object.entries(ours ?? {}).every(([key, value]) => present?.[key] === value)

/** Why there is something to apply. */
function occasion({ experiment, fork, source }: Observed, desired: KubeObject, from: SourceStatus): string {
  if (!fork) return 'created'
  const before = fork.metadata.annotations?.[DERIVED_HASH]
  if (before === desired.metadata.annotations?.[DERIVED_HASH]) return 'restored; something else had changed it'
  return experiment.status?.source?.templateHash === from.templateHash
    ? 'updated to the spec of the experiment'
    : `follows generation ${source?.metadata.generation} of its source`
}

/** As it was, where uid and base are: a generation that only changed `replicas` is not worth a write. */
function sourceStatus({ experiment }: Observed, kind: WorkloadKind, source: KubeObject, templateHash: string) {
  const before = experiment.status?.source
  const uid = source.metadata.uid ?? ''
  if (before?.uid === uid && before.templateHash === templateHash) return before
  const revision = kind.revision(source)
  return {
    uid,
    generation: source.metadata.generation ?? 0,
    ...(revision === undefined ? {} : { revision }),
    templateHash,
  }
}

function withHash(fork: KubeObject): KubeObject {
  const annotations = { ...fork.metadata.annotations, [DERIVED_HASH]: hashOf(fork, 16) }
  return { ...fork, metadata: { ...fork.metadata, annotations } }
}

/** With the uid in the body the API server refuses to re-create what went meanwhile. */
const withUid = (desired: KubeObject, fork: KubeObject | undefined): KubeObject =>
  fork?.metadata.uid === undefined ? desired : { ...desired, metadata: { ...desired.metadata, uid: fork.metadata.uid } }

const waiting = (reason: Reason, message: string, retryAfterMs = RETRY_MS) =>
  ({ is: 'waiting', retryAfterMs, reason, message }) as const

const stalled = (reason: Reason, message: string) => ({ is: 'stalled', reason, message }) as const

const invalid = (errors: readonly FieldError[]): Objection | undefined =>
  errors.length > 0 ? stalled('InvalidOverride', tell(errors)) : undefined

/** The first five; a condition is read in a terminal. */
function tell(errors: readonly FieldError[]): string {
  const shown = errors.slice(0, 5).map(({ field, message }) => `${field}: ${message}`)
  return [...shown, ...(errors.length > 5 ? [`and ${errors.length - 5} more`] : [])].join('; ')
}
