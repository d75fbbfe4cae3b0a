/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether `value` is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a list or an object has no content. */
export const isEmpty = (value: object): boolean => {
  for (const _ in value) return false // unlike `Object.keys`, this makes no list
  return true
}

/** The own member `key` of `value` if that is an object, else undefined. Members of `Object.prototype` do not count. */
export const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The value at `path`; undefined if a member is missing or a value on the path is no object. */
export const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(member, value)

/** `value` if it is an object, else an empty one. For optional maps of cluster objects. */
export const objectOr = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** `value` if it is a string, else `fallback`. Unlike `String()`, never calls a `toString` that comes with the value. */
export const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

/** `value` if it is a list, else an empty one. */
export const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
