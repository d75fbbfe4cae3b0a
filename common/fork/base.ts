import { beyond, beyondSelector, FOREIGN_BOUNDS, hasMoreNodes } from '../api/limits.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import { inheritedMetadata } from '../api/template-metadata.ts'
import type { FieldError } from '../api/types.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import { at, isEmpty, isObject, type Json, type JsonObject, objectOr } from '../json/json.ts'
import { keeping } from '../json/keeping.ts'
import type { Shape } from '../override/shape.ts'
import type { KnownFields } from '../override/spec-schema.ts'
import { withUniqueItems } from '../override/unique-items.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { withoutAccountAlias } from '../workload/service-account.ts'
import { pick } from '../workload/status.ts'

/** What a fork starts from: the inherited part of its source's `spec`, and the fixed fields of its kind. */
export interface Base {
  readonly spec: JsonObject
  /** labels of the fork itself */
  readonly labels: Labels
  /** for a Rollout: whether the template is that of the stable revision or the desired one */
  readonly template?: 'Stable' | 'Desired'
  readonly warnings: readonly string[]
  /** set if `flawsOf` may find something that an override has to replace */
  readonly mayBeFlawed?: true
}

/** The base of a fork, or why there is none. */
type BaseResult =
  | { readonly is: 'base'; readonly base: Base }
  /** fields of the source that no override can cure, by path in the source */
  | { readonly is: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly is: 'missing'; readonly message: string }

interface BaseInput {
  readonly source: KubeObject
  readonly referents: readonly KubeObject[]
  /** with `NO_SHAPE`, duplicate keys in lists are not found, and the API server refuses them */
  readonly shape: Shape
  /** the fields of a template that the schema of the kind knows, if it may lack fields of Kubernetes; absent: all */
  readonly template?: KnownFields | undefined
}

/**
 * What a fork takes over from `base`, in the form that is kept and hashed. Former versions also kept annotations;
 * without labels, the hash of a base is still the same.
 */
export const keptBase = ({ spec, labels }: Base) => ({ spec, annotations: {}, ...(isEmpty(labels) ? {} : { labels }) })

/** The SHA-256 of a base that is kept, in hex. It is whole, because it proves that nobody replaced that base. */
export const hashOfKept = (kept: unknown): string => sha256Of(kept, WHOLE)

/** The SHA-256 of what a fork takes over from `base`, in hex. */
export const baseHash = (base: Base): string => hashes(base, [], () => hashOfKept(keptBase(base)))

const hashes = keeping<string>()

/** The part of a source that a fork of `kind` inherits. All forks of one state of a source have the same object. */
export const baseOf = (kind: WorkloadKind, input: BaseInput): BaseResult =>
  bases(input.source, [kind, input.shape, input.template, ...input.referents], () => computedBase(kind, input))

const bases = keeping<BaseResult>()

function computedBase(kind: WorkloadKind, { source, referents, shape, template: known }: BaseInput): BaseResult {
  const found = kind.template(source, referents)
  if (found.is === 'missing') return found
  const excess = [...beyondSelectorOf(source), ...beyondTemplate(found.template)]
  if (excess.length > 0) return { is: 'refused', errors: excess }
  const own = { ...kind.inheritedSpec(objectOr(source.spec)), ...kind.fixedSpec }
  if (hasMoreNodes(own, FOREIGN_BOUNDS.sourceNodes)) return { is: 'refused', errors: [tooManyNodes('spec')] }
  const taken = { ...own, template: templateOf(found.template) }
  const { spec: unique, errors, warnings, isFlawed } = withUniqueItems(taken as JsonObject, shape)
  if (errors.length > 0) return { is: 'refused', errors }
  const spec = known ? { ...unique, template: pruneUnknownFields(unique.template ?? null, known) } : unique
  const labels = pick(source.metadata.labels ?? {}, kind.inheritedLabels)
  const template = found.base ? { template: found.base } : {}
  return { is: 'base', base: { spec, labels, warnings, ...template, ...(isFlawed ? { mayBeFlawed: true } : {}) } }
}

const templates = keeping<readonly FieldError[]>()

/** What of the pod template of a source is beyond the bounds, by path in the source. */
export const beyondTemplate = (template: Readonly<Record<string, unknown>>): readonly FieldError[] =>
  templates(template, [], () => excessOf(template))

function excessOf(template: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const labels = beyond(Object.keys(objectOr(at(template, 'metadata', 'labels'))).length, 'podLabels', 'labels')
  if (labels !== undefined)
    return [excess('spec.template.metadata.labels', `${labels}; remove those that nobody needs`)]
  return hasMoreNodes(template, FOREIGN_BOUNDS.sourceNodes) ? [tooManyNodes('spec.template')] : []
}

const tooManyNodes = (field: string): FieldError =>
  excess(field, `more than ${FOREIGN_BOUNDS.sourceNodes} keys and items; move bulk data into a ConfigMap`)

function beyondSelectorOf({ spec }: KubeObject): readonly FieldError[] {
  const found = beyondSelector(at(spec, 'selector'))
  return found === undefined ? [] : [excess('spec.selector', `${found}; select by fewer labels`)]
}

const excess = (field: string, message: string): FieldError => ({ field, message, cause: 'FieldValueInvalid' })

function templateOf(source: Readonly<Record<string, unknown>>) {
  const { nodeName: _node, ephemeralContainers: _debug, ...pod } = objectOr(source.spec)
  return { ...source, metadata: inheritedMetadata(source.metadata), spec: withoutAccountAlias(pod) }
}

/**
 * `value` without the fields that `known` lacks, as deep as that. A Rollout's template may come from a ReplicaSet in
 * which a newer API server has filled in fields that the CRD of an older Argo does not know; a strict apply would
 * refuse them.
 */
export function pruneUnknownFields(value: Json, known: KnownFields): Json {
  const { members, items } = known
  if (Array.isArray(value)) return items ? value.map((item) => pruneUnknownFields(item, items)) : value
  if (!isObject(value) || !members) return value
  const kept = Object.entries(value as JsonObject).flatMap(([key, inner]) => {
    const below = members.get(key)
    return below ? [[key, pruneUnknownFields(inner, below)] as const] : []
  })
  return Object.fromEntries(kept)
}
