import { warning } from '../common/api/conditions.ts'
import { EXPERIMENT_POLICY } from '../common/api/names.ts'
import type { Warning } from '../common/api/types.ts'
import { isObject } from '../common/json/json.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import { decodePolicy } from '../common/policy/decode.ts'
import { namedNamespaces, noSuchNamespace } from '../common/policy/named-namespaces.ts'
import { type PolicyMistake, policyMistakes } from '../common/policy/policy-mistakes.ts'
import type { KindShape } from '../common/policy/unmatched-paths.ts'
import { clauses } from '../common/text/fitted.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { missingNamespaces } from './reads/missing-namespaces.ts'
import type { Reader } from './reads/reader.ts'
import type { AdmissionRequest } from './review/admission-review.ts'
import type { ReviewDecision } from './review/decision.ts'
import { nameIn } from './review/request.ts'

interface Schemas {
  schemaOf(kind: string): SpecSchema | undefined
}

/**
 * Refuses a policy in which something can match nothing, because it would silently allow what its author meant to deny.
 * What the stored policy has too is only a warning, so that an update can change something else.
 */
export function reviewPolicy(request: AdmissionRequest, schemas: Schemas): ReviewDecision {
  const kinds = Object.keys(WORKLOAD_KINDS).map((kind) => ({ kind, shape: schemas.schemaOf(kind)?.shape }))
  const found = mistakesIn(request.object, kinds)
  const old = request.operation === 'UPDATE' && found.length > 0 ? mistakesIn(request.oldObject, kinds) : []
  const known = new Set(old.map(({ identity }) => identity))
  const errors = found.filter(({ isCertain, identity }) => isCertain && !known.has(identity)).map(({ error }) => error)
  if (errors.length > 0) return { is: 'invalid', kind: EXPERIMENT_POLICY.kind, name: nameIn(request), errors }
  const warnings = found.map(({ error: { field, message } }) => warningOf(`${field}: ${message}`))
  const isUnchecked = kinds.every(({ shape }) => !shape)
  return { is: 'admitted', warnings: isUnchecked ? [...warnings, warningOf(UNCHECKED)] : warnings }
}

const UNCHECKED =
  'the paths were not checked, because no schema was read yet; ' +
  'see the condition Valid in its status, or the log of the controller if it serves one namespace'

const warningOf = (message: string): Warning => warning('Policy', ...clauses(message))

/**
 * `decision` with a warning for each namespace that the policy names and that does not exist. An installation for
 * `onlyNamespace` looks at no other namespace.
 */
export async function withMissingNamespaces(
  { object }: AdmissionRequest,
  decision: ReviewDecision,
  { kube, onlyNamespace }: { readonly kube: Reader; readonly onlyNamespace: string | undefined },
): Promise<ReviewDecision> {
  if (decision.is !== 'admitted') return decision
  const missing = await missingNamespaces(kube, namedNamespaces(specOf(object)), onlyNamespace)
  const warnings = missing.map((each) => warningOf(noSuchNamespace(each)))
  return { ...decision, warnings: [...decision.warnings, ...warnings] }
}

const mistakesIn = (object: AdmissionRequest['object'], kinds: readonly KindShape[]): readonly PolicyMistake[] =>
  policyMistakes(specOf(object), kinds)

const specOf = ({ spec }: AdmissionRequest['object']) =>
  decodePolicy({ ...EMPTY, ...(isObject(spec) ? { spec } : {}) }).spec

const EMPTY = { apiVersion: EXPERIMENT_POLICY.apiVersion, kind: EXPERIMENT_POLICY.kind, metadata: { name: '' } }
