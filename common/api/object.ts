/** Anything JSON can say. Cluster objects stay raw JSON, so that fields we do not know survive. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Of an entry only what ownership and timeouts need; the reflector drops `fieldsV1`. */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
}

export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly generation?: number
  readonly resourceVersion?: string
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

/** An object as the API server tells it, less what we have no word for: the rest is there, but `unknown`. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** A JSON object: not null, not a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether there is nothing in a list or object. */
export const isEmpty = (value: object): boolean => {
  for (const _ in value) return false // unlike `Object.keys`, makes no list
  return true
}

/** The member `key` of `value`, if `value` is an object that has it itself: never one of `Object.prototype`. */
export const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** What lies at `path`; undefined where the path leaves objects. */
export const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(member, value)

/** `value` if it is an object, else an empty one: for optional maps of cluster objects. */
export const objectOr = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** `value` if it is a string, else `fallback`: JSON's objects may bring a `toString` of their own. */
export const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

/** `value` if it is a list, else an empty one. */
export const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
