import { sourceNamespaceOf, withDefaults } from '../api/defaults.ts'
import { DERIVED_HASH, FIELD_MANAGER, GATED_DEPLOY_STATUS, MANAGED_BY, WHOLE_DERIVED_HASH } from '../api/names.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { canonicalJson, sha256Of, WHOLE } from '../json/canonical.ts'
import { at, isEmpty, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import { type Merged, merge, type ReplacedLists } from '../override/merge.ts'
import { NO_SHAPE } from '../override/shape.ts'
import type { SpecSchema } from '../override/spec-schema.ts'
import {
  type ForkRole,
  forkName,
  forkSelector,
  identityLabels,
  ownershipMetadata,
  roleUid,
} from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { workloadKind } from '../workload/registry.ts'
import { withAccountAlias, withOverriddenAccount } from '../workload/service-account.ts'
import type { Base } from './base.ts'

interface Inputs {
  readonly kind: WorkloadKind
  readonly experiment: ExperimentDeployment
  /** from `baseOf`, computed now or when it was pinned */
  readonly base: Base
  /** undefined while it is not known: Merge can do without, Strategic cannot */
  readonly schema: SpecSchema | undefined
  /** how many pods the fork gets; no part of what it is derived from */
  readonly replicas: number
  /** default: the fork */
  readonly role?: ForkRole
}

/** The fork, and what containers lose because Merge replaces lists; or why there can be none. */
export type Derived =
  | { readonly is: 'fork'; readonly fork: KubeObject; readonly replaced: () => ReplacedLists }
  | { readonly is: 'refused'; readonly reason: Reason; readonly errors: readonly FieldError[] }

/**
 * The whole hash of a derived fork in the form in which it is applied. It covers neither the uid, nor the number of
 * replicas, because scaling is no new derivation, nor the verdict of an analysis.
 */
export function wholeForkHash(fork: KubeObject): string {
  const { replicas: _replicas, template, ...spec } = objectOr(fork.spec)
  const compute = () => hashOfApplied(applied(fork))
  return isObject(template) ? hashes(template, [canonicalJson({ ...fork, spec })], compute) : compute()
}

const hashes = keeping<string>()

/** The short hash of a derived fork: the first 16 digits of the whole one. */
export const shortForkHash = (whole: string): string => whole.slice(0, 16)

function hashOfApplied(fork: KubeObject): string {
  const { uid: _uid, annotations, ...metadata } = fork.metadata
  const { replicas: _replicas, ...spec } = objectOr(fork.spec)
  return sha256Of({ ...fork, metadata: { ...metadata, ...withoutVerdict(annotations) }, spec }, WHOLE)
}

/** A verdict is about what was derived, and no part of it. */
function withoutVerdict(annotations: Labels | undefined): Pick<KubeObject['metadata'], 'annotations'> {
  const { [GATED_DEPLOY_STATUS]: verdict, ...others } = annotations ?? {}
  if (annotations === undefined) return {}
  return verdict !== undefined && Object.keys(others).length === 0 ? {} : { annotations: others }
}

/** `fork` as it is applied, with its short and its whole hash in annotations. */
export function withHash(fork: KubeObject): KubeObject {
  const object = applied(fork)
  const whole = wholeForkHash(fork)
  const hashes = { [DERIVED_HASH]: shortForkHash(whole), [WHOLE_DERIVED_HASH]: whole }
  const annotations = { ...fork.metadata.annotations, ...hashes }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/**
 * The fork that `experiment` describes on `base`, or every field that forbids one. It shares no object with the
 * resource; what nobody overrides is the object of the base. Expects an override within rules and schema. Without a
 * schema that it needs, it refuses with `SchemaNotAvailable` and no errors.
 */
export function derive({ kind, experiment, base, schema, replicas, role = 'experiment' }: Inputs): Derived {
  const { overrideSpec, overrideType, sourceRef } = withDefaults(experiment.spec)
  if (overrideType === 'Strategic' && !schema) return { is: 'refused', reason: 'SchemaNotAvailable', errors: [] }
  const shape = schema?.shape ?? NO_SHAPE
  const merged = merges(overrideSpec, [base.spec, overrideType, shape], () =>
    merge(base.spec, overrideSpec, overrideType, shape),
  )
  if (merged.is === 'invalid') return { is: 'refused', reason: 'InvalidOverride', errors: merged.errors }
  const { template } = merged.spec
  if (!isObject(template)) return { is: 'refused', reason: 'InvalidOverride', errors: [templateError(template)] }
  const { labels, ...owner } = ownershipMetadata(experiment, role)
  const identity = identityLabels(experiment, role)
  const fork = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name: forkName(sourceRef.name, roleUid(experiment.metadata.uid, role)),
      namespace: sourceNamespaceOf(experiment),
      labels: { ...base.labels, [MANAGED_BY]: FIELD_MANAGER, ...labels },
      ...owner,
    },
    spec: {
      ...merged.spec,
      replicas,
      selector: forkSelector(experiment, role),
      template: templates(merged, Object.entries(identity).flat(), () =>
        identifiedTemplate(withOverriddenAccount(template, overrideSpec), identity),
      ),
    },
  }
  return { is: 'fork', fork, replaced: merged.replaced }
}

const merges = keeping<Merged>()
const templates = keeping<JsonObject>()

const templateError = (found: unknown): FieldError => ({
  field: 'spec.overrideSpec.template',
  message: `expected object, got ${found === undefined ? 'nothing' : typeof found}`,
  cause: 'FieldValueTypeInvalid',
})

function identifiedTemplate(template: JsonObject, identity: Labels): JsonObject {
  const labels = { ...(objectOr(at(template, 'metadata', 'labels')) as Labels), ...identity }
  const annotations = objectOr(at(template, 'metadata', 'annotations')) as JsonObject
  // Argo drops empty maps when it writes the fork, which would look like drift
  return { ...template, metadata: isEmpty(annotations) ? { labels } : { labels, annotations } }
}

/** The labels of a workload's pod template. */
export const templateLabels = (workload: KubeObject): Labels =>
  objectOr(at(workload, 'spec', 'template', 'metadata', 'labels')) as Labels

/**
 * A derived fork in the form in which it is applied. It means the same, and server-side apply can take every field of
 * it away again.
 */
export function applied(fork: KubeObject): KubeObject {
  const spec = withAccountAlias(objectOr(fork.spec))
  return { ...fork, spec: workloadKind(fork.kind)?.withOwnedDefaults(spec) ?? spec }
}
