/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether `value` is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a list or an object has no content. */
export const isEmpty = (value: object): boolean => {
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false // unlike `Object.keys`, this makes no list; but of an array it does
  return true
}

/** The own member `key` of `value` if that is an object, else undefined. Members of `Object.prototype` do not count. */
export const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The value at `path`; undefined if a member is missing or a value on the path is no object. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const key of path) found = member(found, key)
  return found
}

/** `value` if it is an object, else an empty one. For optional maps of cluster objects. */
export const objectOr = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/**
 * `value` if it is a string, else `fallback`. Unlike `String()`, never calls a `toString` that comes with the value.
 */
export const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

/** `value` if it is a list, else an empty one. */
export const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * Whether two values are the same JSON. The order of keys does not matter, and an undefined member counts as absent.
 * Allocates nothing. Recursive, so the nesting of the values must be bounded.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && areEqual(one, other)
  const [left, right] = [one as Members, other as Members]
  for (const key in left) if (!isEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}

type Members = Readonly<Record<string, unknown>>

const areEqual = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => isEqual(item, other[index]))

/** The JSON value in `text`; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
