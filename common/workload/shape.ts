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

/** What an item is known by; of one key its value, so that `"1"` and `1` are two. */
export type Identity = string | number | boolean

/** Equal for two items of one key; undefined for an item that lacks one, or has something else than a scalar there. */
export function identityOf(item: unknown, keys: readonly ListKey[]): Identity | undefined {
  const [only, ...others] = keys
  if (only && others.length === 0) return scalar(member(item, only.key) ?? only.fallback) // nearly every list
  const values = keyValues(item, keys)
  return values.every((value) => scalar(value) !== undefined) ? JSON.stringify(values) : undefined
}

const scalar = (value: unknown): Identity | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined

/** Whether two items are known by one key; false where one has none. */
export function isSameKey(one: unknown, other: unknown, keys: readonly ListKey[]): boolean {
  for (const { key, fallback } of keys) {
    const value = member(one, key) ?? fallback
    if (value === undefined || typeof value === 'object' || value !== (member(other, key) ?? fallback)) return false
  }
  return true
}
