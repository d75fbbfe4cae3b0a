import { member } from '../api/object.ts'
import type { Union } from './unions.ts'

/** A member by which the items of a list are told apart. One left out counts as its `fallback`. */
export interface ListKey {
  readonly key: string
  readonly fallback?: string
}

/**
 * The structure of a spec as far as merging cares. Walked one step at a time, since schemas refer to themselves; where
 * the schema says nothing, every step leads to `NO_SHAPE`.
 */
export interface Shape {
  /** of the member `key`, where this is an object */
  readonly member: (key: string) => Shape
  /** of every item, where this is a list */
  readonly items: () => Shape
  /** list-map keys, where this is a list that merges by them; else empty */
  readonly keys: readonly ListKey[]
  /** which members exclude each other, where this is an object */
  readonly unions: readonly Union[]
}

/** Nothing known: maps merge, lists replace. */
export const NO_SHAPE: Shape = { member: () => NO_SHAPE, items: () => NO_SHAPE, keys: [], unions: [] }

/** What `item` has for each of `keys`; undefined where it has neither a value nor a fallback. */
export const keyValues = (item: unknown, keys: readonly ListKey[]): readonly unknown[] =>
  keys.map(({ key, fallback }) => member(item, key) ?? fallback)

/** Equal for two items of one key; undefined for an item that lacks one, or has something else than a scalar there. */
export function identityOf(item: unknown, keys: readonly ListKey[]): string | undefined {
  const [only, ...others] = keys
  if (only && others.length === 0) return identityOfValue(member(item, only.key) ?? only.fallback) // nearly every list
  const values = keyValues(item, keys)
  const isWhole = values.every((value) => value !== undefined && typeof value !== 'object')
  return isWhole ? JSON.stringify(values) : undefined
}

/** Whether two items are known by one key; false where one has none. */
export function isSameKey(one: unknown, other: unknown, keys: readonly ListKey[]): boolean {
  for (const { key, fallback } of keys) {
    const value = member(one, key) ?? fallback
    if (value === undefined || typeof value === 'object' || value !== (member(other, key) ?? fallback)) return false
  }
  return true
}

/** `"1"` and `1` are two keys. */
const identityOfValue = (value: unknown): string | undefined => {
  if (typeof value === 'string') return `"${value}`
  return value === undefined || typeof value === 'object' ? undefined : `${value}`
}
