import { withDefaults } from '../../common/api/defaults.ts'
import { brokenLimits } from '../../common/api/limits.ts'
import { sourceNamespaceOf } from '../../common/api/policy.ts'
import type { Reason } from '../../common/api/reasons.ts'
import { brokenRules } from '../../common/api/rules.ts'
import type { FieldError } from '../../common/api/types.ts'
import { isApart } from '../../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../../common/workload/kind.ts'
import type { Observed } from './observe.ts'
import type { Verdict } from './outcome.ts'

/** Why nothing is written now. */
export type Objection = { readonly reason: Reason; readonly message: string } & Verdict

/** An observation that every check let pass. */
export type Checked = Observed & { readonly kind: WorkloadKind; readonly schema: SpecSchema }

type Check = (observed: Observed) => Objection | undefined

const RETRY_MS = 60_000
/** A schema is fetched at start: it appears within moments, and its arrival wakes everybody. */
const SCHEMA_RETRY_MS = 5_000
/** A kind that comes wakes nobody until there is an object of it; looking costs no request. */
const KIND_RETRY_MS = 5_000

const namespaceIsReviewed: Check = ({ isExcluded, experiment }) =>
  isExcluded
    ? stalled('NamespaceExcluded', `nobody reviews who creates experiments in ${experiment.metadata.namespace}`)
    : undefined

const sourceIsShared: Check = ({ policing, experiment }) => {
  if (policing?.isShared !== false) return undefined
  const namespace = sourceNamespaceOf(experiment)
  const who = `for experiments in ${experiment.metadata.namespace}`
  return stalled('SourceNotAllowed', `spec.sourceRef.namespace: ${namespace} does not allow its sources ${who}`)
}

/** A source elsewhere was not looked at: it must not be taken for missing. */
const consentIsKnown: Check = ({ policing, experiment }) =>
  policing === undefined && isApart(experiment) ? waiting('PolicyNotRead', UNREAD) : undefined

const overrideIsWithinLimits: Check = ({ experiment }) => invalid(brokenLimits(experiment.spec.overrideSpec))

const overrideKeepsTheRules: Check = ({ experiment, kind }) => invalid(brokenRules(experiment.spec, kind?.bans))

const overrideFitsTheSchema: Check = ({ schema, experiment }) => {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  return invalid(schema?.check(overrideSpec, overrideType) ?? [])
}

const nameIsFree: Check = ({ occupant }) =>
  occupant
    ? stalled('NameConflict', `${occupant.kind.toLowerCase()}/${occupant.metadata.name} is there and not ours`)
    : undefined

const CHECKS: readonly Check[] = [
  namespaceIsReviewed,
  sourceIsShared,
  consentIsKnown,
  overrideIsWithinLimits,
  overrideKeepsTheRules,
  overrideFitsTheSchema,
  nameIsFree,
]

/** The first objection to what the resource says by itself, whatever its source is. */
export function checked(observed: Observed) {
  const { kind, experiment, isKindAbsent, schema } = observed
  const object = (objection: Objection) => ({ is: 'objection', objection }) as const
  const name = experiment.spec.sourceRef.kind
  if (!kind) return object(waiting('KindNotAvailable', `spec.sourceRef.kind: this version cannot fork a ${name}`))
  if (isKindAbsent) {
    const message = `the cluster has no kind ${name} (${kind.apiVersion})`
    return object(waiting('KindNotAvailable', message, KIND_RETRY_MS))
  }
  for (const check of CHECKS) {
    const objection = check(observed)
    if (objection) return object(objection)
  }
  if (!schema) return object(waiting('SchemaNotAvailable', `no schema of ${name} was fetched yet`, SCHEMA_RETRY_MS))
  return { is: 'sound', ...observed, kind, schema } as const
}

/** Where it cannot be told which policies apply. */
export const UNREAD = 'the controller may not read the labels of its namespace, or of that of its source'

/** Not yet. */
export const waiting = (reason: Reason, message: string, retryAfterMs = RETRY_MS) =>
  ({ is: 'waiting', retryAfterMs, reason, message }) as const

/** Not until a person acts. */
export const stalled = (reason: Reason, message: string) => ({ is: 'stalled', reason, message }) as const

const invalid = (errors: readonly FieldError[]): Objection | undefined =>
  errors.length > 0 ? stalled('InvalidOverride', tell(errors)) : undefined

/** The first five mistakes; a condition is read in a terminal. */
export function tell(errors: readonly FieldError[]): string {
  const shown = errors.slice(0, 5).map(({ field, message }) => `${field}: ${message}`)
  return [...shown, ...(errors.length > 5 ? [`and ${errors.length - 5} more`] : [])].join('; ')
}
