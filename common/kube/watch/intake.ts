import { FIELD_MANAGER } from '../../api/names.ts'
import { type KubeObject, type ManagedFieldsEntry, type ResourceType, UNREAD } from '../../api/object.ts'
import { isObject, listOr, member } from '../../json/json.ts'
import { isVersion } from './version.ts'

/** An object from a list or a watch: the metadata that the store relies on, and the part that is kept. */
export interface Arrival<T> {
  /** in the store and in the queue: `namespace/name`, or only the name of a cluster-scoped object */
  readonly key: string
  readonly uid: string
  readonly version: string
  readonly isDeleting: boolean
  /** why the object was not read; absent: it was. The projection sees it with the mark `UNREAD` */
  readonly unread?: string
  /** undefined: the projection does not keep the object */
  readonly value: T | undefined
}

/** How objects are prepared for the store. */
export interface Intake<T> {
  readonly resource: ResourceType
  /**
   * `managers` keeps manager, operation, subresource and time, but not the fields, which are most of an object's bytes.
   * `others` also keeps the fields of `spec` that other managers than the controller own, which are few.
   */
  readonly managedFields: 'none' | 'managers' | 'others'
  /**
   * The part of an object to keep; undefined: none, as if there were no object. Should keep no more than needed. Called
   * as soon as the object is read, so that no list is in memory whole.
   */
  readonly project: (object: KubeObject) => T | undefined
}

/**
 * Prepares an item of a list or an object of an event for the store. It is projected without managed fields, and with
 * `apiVersion` and `kind` (lists omit them, and metadata-only responses have others). What is kept is frozen. Undefined
 * if it has no name, uid or version, which every object of the API server has. All other fields may have any shape.
 */
export function arrival<T>(raw: unknown, { resource, managedFields, project }: Intake<T>): Arrival<T> | undefined {
  if (!isObject(raw) || !isObject(raw.metadata)) return undefined
  const { managedFields: entries, ...rest } = raw.metadata
  const { name, namespace, uid, resourceVersion } = rest
  if (typeof name !== 'string' || typeof uid !== 'string' || !isVersion(resourceVersion)) return undefined
  if (namespace !== undefined && typeof namespace !== 'string') return undefined
  const metadata =
    managedFields === 'none'
      ? { ...rest, name }
      : { ...rest, name, managedFields: listOr(entries).map((entry) => managerOf(entry, managedFields)) }
  // the schema of the API server ensures the types of the other metadata
  const object = { ...raw, apiVersion: resource.apiVersion, kind: resource.kind, metadata } as KubeObject
  return {
    key: namespace === undefined ? name : `${namespace}/${name}`,
    uid,
    version: resourceVersion,
    isDeleting: rest.deletionTimestamp !== undefined,
    ...(object[UNREAD] === undefined ? {} : { unread: object[UNREAD] }),
    value: frozen(project(object)),
  }
}

function managerOf(entry: unknown, kept: Intake<unknown>['managedFields']): ManagedFieldsEntry {
  const { manager, operation, subresource, time, ...of } = (isObject(entry) ? entry : {}) as ManagedFieldsEntry
  const isOther = !subresource && !(manager === FIELD_MANAGER && operation === 'Apply')
  const spec = kept === 'others' && isOther ? member(of.fieldsV1, 'f:spec') : undefined
  const fieldsV1 = spec === undefined ? undefined : { 'f:spec': spec }
  return Object.fromEntries(
    Object.entries({ manager, operation, subresource, time, fieldsV1 }).filter(([, value]) => value !== undefined),
  )
}

/**
 * Freezes `value` and everything in it. Not recursive: JSON.parse reads 100,000 levels, which would overflow the stack.
 */
export function frozen<T>(value: T): T {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const inner of Object.values(next)) if (typeof inner === 'object') open.push(inner)
  }
  return value
}
