import { isObject, type KubeObject, listOr, type ManagedFieldsEntry } from '../api/object.ts'
import type { ResourceType } from '../api/resource.ts'
import { isVersion } from './version.ts'

/** What every object tells about itself that we must rely on. */
export interface Arrival {
  /** `namespace/name`; of a cluster-scoped object the name alone */
  readonly key: string
  readonly uid: string
  readonly version: string
  readonly isDeleting: boolean
  readonly object: KubeObject
}

export interface Intake {
  readonly resource: ResourceType
  /** `who`: who manages which subresource since when, without the fields themselves, which are most of an object's bytes */
  readonly managedFields: 'none' | 'who'
}

/** The queue's and the store's name for an object. */
export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`

/**
 * An item of a list or an event, ready to be kept: frozen, without its managed fields, with `apiVersion` and `kind`
 * (lists omit them, metadata-only answers have others). Undefined if it has no name, uid or version: the API server
 * gives one to every object. All else may have any shape.
 */
export function arrival(raw: unknown, { resource, managedFields }: Intake): Arrival | undefined {
  if (!isObject(raw) || !isObject(raw.metadata)) return undefined
  const { managedFields: entries, ...rest } = raw.metadata
  const { name, namespace, uid, resourceVersion } = rest
  if (typeof name !== 'string' || typeof uid !== 'string' || !isVersion(resourceVersion)) return undefined
  if (namespace !== undefined && typeof namespace !== 'string') return undefined
  const metadata =
    managedFields === 'who' ? { ...rest, name, managedFields: listOr(entries).map(who) } : { ...rest, name }
  const object = { ...raw, apiVersion: resource.apiVersion, kind: resource.kind, metadata }
  return {
    key: keyOf(namespace, name),
    uid,
    version: resourceVersion,
    isDeleting: rest.deletionTimestamp !== undefined,
    object: frozen(object as KubeObject), // metadata beyond these is the API server's own and typed by its schema
  }
}

function who(entry: unknown): ManagedFieldsEntry {
  const { manager, operation, subresource, time } = (isObject(entry) ? entry : {}) as ManagedFieldsEntry
  return Object.fromEntries(
    Object.entries({ manager, operation, subresource, time }).filter(([, value]) => value !== undefined),
  )
}

/** Everything in `value` frozen; no recursion, for depth is hostile: JSON.parse reads 100,000 levels, the stack does not. */
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
