import { EXPERIMENT_ID, FIELD_MANAGER } from '../../common/api/names.ts'
import type { KubeObject, ManagedFieldsEntry, ObjectMeta, ResourceType } from '../../common/api/object.ts'
import { withHash } from '../../common/fork/derive.ts'
import { at, isEmpty, isEqual, member, objectOr } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { isBeforeFirstApply } from '../../common/workload/identity.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import { WRITTEN_OBJECT, type Write } from '../../common/writes/write.ts'

/** A write that leaves an object. */
export type Changing = Exclude<Write, { verb: 'delete' }>

/**
 * The request that comes before the apply of a new derivation, if the workload controller writes specs too. It replaces
 * the spec, so that no field stays because another client owns it. Where server-side apply empties a map of a custom
 * resource, it would leave null, which the CRD refuses. The same derivation is only applied: else both controllers
 * would undo each other's form of the same values for ever.
 */
export const replacementOf = (write: Changing): KubeRequest | undefined =>
  isSpecReplaced(write) && isOtherDerivation(write) ? specReplacement(write) : undefined

/**
 * As `replacementOf`, after an apply that left fields of a former derivation, which it could not remove. They may
 * belong to `before-first-apply`, or to a replacement after which an earlier pass was interrupted.
 */
export const lateReplacementOf = (write: Changing, applied: KubeObject): KubeRequest | undefined =>
  !isSpecReplaced(write) &&
  applied.metadata.managedFields?.some(
    (entry) => isReplacement(entry) || (isOtherDerivation(write) && isBeforeFirstApply(entry)),
  )
    ? specReplacement(write)
    : undefined

/**
 * As `replacementOf`, after an apply that was refused as invalid with `error`. An apply leaves what other clients have
 * added, and some fields exclude each other, such as `value` and `valueFrom` of a variable.
 */
export const replacementAfter = (error: unknown, write: Changing): KubeRequest | undefined =>
  isInvalid(error) && !isSpecReplaced(write) ? specReplacement(write) : undefined

/** Whether the API server has validated the merged object. What it cannot merge has another status. */
const isInvalid = (error: unknown): boolean =>
  error instanceof KubeError && error.kind === 'invalid' && error.status === 422

const isSpecReplaced = (write: Changing): boolean =>
  write.verb === 'apply' && workloadKind(write.object.kind)?.isSpecRewritten === true

const isOtherDerivation = (write: Changing): boolean => 'isSameDerivation' in write && !write.isSameDerivation

/** Whether a write applies a fork or twin that exists already. */
const isOfExistingFork = (write: Changing): write is Extract<Write, { isSameDerivation: boolean }> =>
  write.verb === 'apply' && (write.role === 'fork' || write.role === 'twin')

function specReplacement(write: Changing): KubeRequest | undefined {
  if (!isOfExistingFork(write)) return undefined
  const { kind, metadata, spec } = withHash(write.object)
  return {
    verb: 'patch',
    contentType: 'application/json-patch+json',
    path: resourcePath(write.resource, placeOf(write.object)),
    query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
    body: [
      { op: 'replace', path: '/metadata/uid', value: metadata.uid ?? '' },
      { op: 'replace', path: '/spec', value: spec },
    ],
    expects: kind,
  }
}

/**
 * The request that removes from a fork what no apply can remove. When a client has emptied the managed fields, an apply
 * makes `before-first-apply` the owner of everything that was there. A replacement makes the controller own fields as
 * an update. And an apply leaves the owner references that others have added. What others own of a source or a Service
 * stays theirs.
 */
export function takeoverOf(write: Changing, object: KubeObject): KubeRequest | undefined {
  if (WRITTEN_OBJECT[write.role] !== 'fork') return undefined
  const isTaken = (entry: ManagedFieldsEntry) =>
    isBeforeFirstApply(entry) || (isOfExistingFork(write) && !isSpecReplaced(write) && isReplacement(entry))
  const taken = { ...entriesWithout(object, isTaken), ...ownersAsApplied(write, object) }
  return isEmpty(taken) ? undefined : metadataPatch(write.resource, object, taken)
}

/** The owner references that an apply has, where `object` has others; empty where it has the same. */
function ownersAsApplied(write: Changing, { metadata }: KubeObject): Pick<ObjectMeta, 'ownerReferences'> {
  if (!isOfExistingFork(write)) return {}
  const { ownerReferences = [] } = write.object.metadata
  return isEqual(ownerReferences, metadata.ownerReferences ?? []) ? {} : { ownerReferences }
}

/** A patch of the replicas alone may stay: every apply has them. */
const isReplacement = ({ manager, operation, subresource, fieldsV1 }: ManagedFieldsEntry): boolean =>
  manager === FIELD_MANAGER &&
  operation === 'Update' &&
  !subresource &&
  Object.keys(objectOr(member(fieldsV1, 'f:spec'))).some((field) => field !== 'f:replicas')

/**
 * The request that makes the controller own nothing of a Service that it has given back. The selector is owned as a
 * whole, so that otherwise the next server-side apply of its team would be a conflict.
 */
export const releaseOf = (write: Changing, object: KubeObject): KubeRequest | undefined =>
  write.verb === 'patch' && write.role === 'service' && isUnpin(write.patch)
    ? withoutOwn(write.resource, object)
    : undefined

function withoutOwn(resource: ResourceType, object: KubeObject): KubeRequest | undefined {
  const taken = entriesWithout(object, ({ manager }) => manager === FIELD_MANAGER)
  return isEmpty(taken) ? undefined : metadataPatch(resource, object, taken)
}

/**
 * The managed fields without entries that are taken; empty if there is none to take, or none to keep: the API server
 * keeps all entries where the list is empty.
 */
function entriesWithout(
  { metadata: { managedFields = [] } }: KubeObject,
  isTaken: (entry: ManagedFieldsEntry) => boolean,
): Pick<ObjectMeta, 'managedFields'> {
  const kept = managedFields.filter((entry) => !isTaken(entry))
  return kept.length === 0 || kept.length === managedFields.length ? {} : { managedFields: kept }
}

/** A change of one version of the metadata of `object`. */
function metadataPatch(resource: ResourceType, object: KubeObject, change: object): KubeRequest {
  const { uid = '', resourceVersion = '' } = object.metadata
  return {
    verb: 'patch',
    contentType: 'application/merge-patch+json',
    path: resourcePath(resource, placeOf(object)),
    query: { fieldManager: FIELD_MANAGER },
    body: { metadata: { uid, resourceVersion, ...change } },
    expects: resource.kind,
  }
}

const isUnpin = (patch: unknown): boolean => at(patch, 'spec', 'selector', EXPERIMENT_ID) === null

/** Where an object is. */
export const placeOf = ({ metadata: { namespace = '', name } }: KubeObject) => ({ namespace, name })
