import { member } from '../json/json.ts'
import type { Union } from './unions.ts'

/** A member that identifies the items of a list. If it is absent, `fallback` is its value. */
export interface ListKey {
  readonly key: string
  readonly fallback?: string
}

/**
 * What merging needs to know about the structure of a spec. It is followed step by step, because schemas can refer to
 * themselves. Where the schema is silent, every step leads to `NO_SHAPE`.
 */
export interface Shape {
  /** the shape of the member `key`, for an object */
  readonly member: (key: string) => Shape
  /** the shape of every item, for a list */
  readonly items: () => Shape
  /** the list-map keys of a list that merges by keys; otherwise empty */
  readonly keys: readonly ListKey[]
  /** the members that exclude each other, for an object */
  readonly unions: readonly Union[]
}

/** Nothing is known: maps are merged, lists are replaced. */
export const NO_SHAPE: Shape = { member: () => NO_SHAPE, items: () => NO_SHAPE, keys: [], unions: [] }

/** The value of each key in `item`, or its fallback, or undefined. */
export const keyValues = (item: unknown, keys: readonly ListKey[]): readonly unknown[] =>
  keys.map(({ key, fallback }) => member(item, key) ?? fallback)

/** What identifies an item. For a single key it is the value itself, so that `"1"` and `1` differ. */
export type Identity = string | number | boolean

/** Equal for two items with the same keys. Undefined for an item whose key is missing or not a scalar. */
export function identityOf(item: unknown, keys: readonly ListKey[]): Identity | undefined {
  const [only, ...others] = keys
  if (only && others.length === 0) return scalar(member(item, only.key) ?? only.fallback) // the usual case
  const values = keyValues(item, keys)
  return values.every((value) => scalar(value) !== undefined) ? JSON.stringify(values) : undefined
}

const scalar = (value: unknown): Identity | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined

/** Whether two items have the same keys. False if a key is missing or not a scalar. */
export function isSameKey(one: unknown, other: unknown, keys: readonly ListKey[]): boolean {
  for (const { key, fallback } of keys) {
    const value = member(one, key) ?? fallback
    if (value === undefined || typeof value === 'object' || value !== (member(other, key) ?? fallback)) return false
  }
  return true
}
