import { sourceNamespaceOf, withDefaults } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { Reason } from '../api/reasons.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { type Decision, formatErrors, nameConflict, stalled, waiting } from '../facts/decision.ts'
import type { PolicyFacts, SpecFacts } from '../facts/facts.ts'
import { needsBase } from '../fork/pinned.ts'
import { inDocumentOrder } from '../json/document-order.ts'
import { brokenRules } from '../override/rules.ts'
import { NO_SHAPE } from '../override/shape.ts'
import type { SpecSchema } from '../override/spec-schema.ts'
import { unmergeable } from '../override/unmergeable.ts'
import { isOutside } from '../policy/policy.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { shortNameOf } from '../text/short-name.ts'
import { isCrossNamespace } from '../workload/identity.ts'
import { workloadKind } from '../workload/registry.ts'
import { claimNames } from '../workload/stateful-set.ts'

/** Why no fork is derived: the decision for the status, and each mistake at its field for admission. */
export interface Blocked {
  readonly decision: Decision
  /** the author's mistakes, which admission refuses; empty when the author cannot correct anything in the experiment */
  readonly errors: readonly FieldError[]
}

type Check = (facts: SpecFacts) => Blocked | undefined

/** Schemas are fetched at the start and arrive soon. Their arrival wakes every experiment. */
const SCHEMA_RETRY_MS = 5_000
/** No watch event says that a kind was installed until it has an object. Checking again costs no request. */
const KIND_RETRY_MS = 5_000

/** A decision that the author cannot change by correcting a field. */
export const blockedBy = (decision: Decision): Blocked => ({ decision, errors: [] })

/** A mistake of the author. */
export const blockedByMistakes = (reason: Reason, errors: readonly FieldError[]): Blocked => ({
  decision: stalled(reason, formatErrors(errors)),
  errors,
})

/** The message when it is not known which policies apply. */
export const POLICIES_NOT_READ =
  'the controller may not read the labels of the namespace of the experiment, or of the namespace of its source'

/** Why the kind cannot be forked: this version does not know it, or the cluster does not serve it. */
export function kindNotAvailable({ kind, experiment }: SpecFacts): Blocked {
  const name = experiment.spec.sourceRef.kind
  if (kind.is === 'unknown')
    return blockedBy(waiting('KindNotAvailable', `spec.sourceRef.kind: this version cannot fork a ${name}`))
  const message = `the cluster has no kind ${name} (${workloadKind(name)?.apiVersion ?? 'of unknown version'}) yet`
  return blockedBy(waiting('KindNotAvailable', message, KIND_RETRY_MS))
}

const kindIsAvailable: Check = (facts) => (facts.kind.is === 'known' ? undefined : kindNotAvailable(facts))

const namespaceIsReviewed: Check = ({ isExcluded, experiment: { metadata } }) => {
  const { namespace } = metadata
  const message = `admission does not check the permissions of those who create experiments in ${namespace}; create it in another namespace`
  return isExcluded ? blockedBy(stalled('NamespaceExcluded', message)) : undefined
}

const sourceIsShared: Check = ({ policies, experiment }) =>
  policies.is === 'known' && !policies.value.isShared
    ? blockedByMistakes(notSharedReason(policies.value), [notShared(experiment, policies.value)])
    : undefined

type Consent = Pick<PolicyFacts, 'isSourceExcluded' | 'onlyNamespace'>

/** The mistake of an experiment without consent. It must not reveal anything about the other namespace. */
export function notShared(experiment: ExperimentDeployment, consent: Consent): FieldError {
  const { isSourceExcluded, onlyNamespace } = consent
  const namespace = sourceNamespaceOf(experiment)
  if (isOutside(namespace, onlyNamespace)) return notServed('spec.sourceRef.namespace', onlyNamespace)
  const message = isSourceExcluded
    ? `workloads in namespace "${namespace}" are never forked from elsewhere, whatever policies allow; name another source`
    : `namespace "${namespace}" does not share its workloads with "${experiment.metadata.namespace}"; ` +
      'an ExperimentPolicy for it can, with allowSourcesFrom'
  return { field: 'spec.sourceRef.namespace', message, cause: 'FieldValueForbidden' }
}

/** The mistake of an experiment with something in a namespace that this installation may not read. */
export function notServed(
  field: 'metadata.namespace' | 'spec.sourceRef.namespace',
  onlyNamespace: string | undefined,
): FieldError {
  const remedy = field === 'metadata.namespace' ? 'create the experiment there' : 'name a source there'
  return {
    field,
    message: `this installation serves only namespace "${onlyNamespace}"; ${remedy}`,
    cause: 'FieldValueForbidden',
  }
}

/** The reason for `notShared`. */
export const notSharedReason = ({ isSourceExcluded }: Consent): Reason =>
  isSourceExcluded ? 'SourceNamespaceExcluded' : 'SourceNotAllowed'

/** Without known consent the source was not read, so it must not be reported as missing. */
const consentIsKnown: Check = ({ policies, experiment }) =>
  policies.is !== 'known' && isCrossNamespace(experiment)
    ? blockedBy(waiting('PolicyNotRead', POLICIES_NOT_READ))
    : undefined

/** The names of the fork, and of the ControllerRevision that is created when an experiment is pinned. */
const namesAreFree: Check = ({ nameHolder, revisionHolder, experiment }) => {
  const holder = nameHolder ?? (needsBase(experiment) ? revisionHolder : undefined)
  return holder && blockedBy(nameConflict(shortNameOf(holder)))
}

/** Without the schema the override cannot be checked. */
export function schemaNotRead({ experiment }: SpecFacts): Blocked {
  const message = `override not checked yet: no schema of ${experiment.spec.sourceRef.kind} was fetched`
  return blockedBy(waiting('SchemaNotAvailable', message, SCHEMA_RETRY_MS))
}

const cutOverIsInstalled: Check = ({ installed, experiment: { spec } }) =>
  installed.cutOver || !spec.strategy?.blueGreen ? undefined : blockedByMistakes('NotInstalled', [NO_CUT_OVER])

const NO_CUT_OVER: FieldError = {
  field: 'spec.strategy.blueGreen',
  message: 'this installation has no component "cut-over"; use canary, or ask an administrator for the component',
  cause: 'FieldValueForbidden',
}

const sourceHasNoClaims: Check = ({ source, experiment: { spec } }) => {
  const object = knownValue(source)?.object
  if (!spec.strategy?.blueGreen || !object || claimNames(object).length === 0) return undefined
  const message =
    `${shortNameOf(object)} has volumeClaimTemplates, so the fork would serve production from empty volumes; ` +
    'use canary, or another source'
  return blockedByMistakes('SourceHasClaims', [
    { field: 'spec.strategy.blueGreen', message, cause: 'FieldValueForbidden' },
  ])
}

const gateIsInstalled: Check = ({ installed, experiment: { spec } }) =>
  installed.gate || !strategyRunSpec(spec)?.isGated ? undefined : blockedByMistakes('NotInstalled', [NO_GATE])

const NO_GATE: FieldError = {
  field: 'spec.traffic.mode',
  message: 'this installation has no component "gate"; use Shared, or ask an administrator for the component',
  cause: 'FieldValueForbidden',
}

const analysisIsInstalled: Check = ({ installed, experiment: { spec } }) =>
  installed.analysis || !spec.analysis ? undefined : blockedByMistakes('NotInstalled', [NO_ANALYSIS])

const NO_ANALYSIS: FieldError = {
  field: 'spec.analysis',
  message: 'this installation has no component "analysis"; remove it, or ask an administrator for the component',
  cause: 'FieldValueForbidden',
}

const BEFORE_THE_OVERRIDE: readonly Check[] = [
  kindIsAvailable,
  namespaceIsReviewed,
  cutOverIsInstalled,
  gateIsInstalled,
  analysisIsInstalled,
  sourceIsShared,
  consentIsKnown,
  sourceHasNoClaims,
]

/** The first check that `facts` do not pass, if any. `mistakes` are those of `overrideErrors`. */
export function firstBlocked(facts: SpecFacts, mistakes: () => readonly FieldError[]): Blocked | undefined {
  for (const check of BEFORE_THE_OVERRIDE) {
    const found = check(facts)
    if (found) return found
  }
  const errors = mistakes()
  return errors.length > 0 ? blockedByMistakes('InvalidOverride', errors) : namesAreFree(facts)
}

/** Every mistake of the override alone, once per field, in the order of the document. Without a schema, not all. */
export function overrideErrors(
  { spec, overrideErrors }: ExperimentDeployment,
  schema: SpecSchema | undefined,
): readonly FieldError[] {
  if (overrideErrors) return overrideErrors
  const { overrideSpec, overrideType } = withDefaults(spec)
  const broken = brokenRules(spec, workloadKind(spec.sourceRef.kind)?.bans)
  // A whole manifest. Once it is moved up one level, it is another document, so its other mistakes do not matter yet.
  if (Object.hasOwn(overrideSpec, 'spec')) return inDocumentOrder('spec.overrideSpec', overrideSpec, broken)
  const invalid = schema?.check(overrideSpec, overrideType) ?? []
  // reported even where there is no source to merge with yet
  const conflicts = unmergeable(overrideSpec, overrideType, schema?.shape ?? NO_SHAPE)
  // the message of the rule names the remedy
  const found = [broken, invalid, conflicts].reduce(withOtherFields)
  return inDocumentOrder('spec.overrideSpec', overrideSpec, found)
}

function withOtherFields(before: readonly FieldError[], errors: readonly FieldError[]): readonly FieldError[] {
  const fields = new Set(before.map(({ field }) => field))
  return [...before, ...errors.filter(({ field }) => !fields.has(field))]
}
