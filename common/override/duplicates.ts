import { member } from '../json/json.ts'
import { type Identity, identityOf, isSameKey, type ListKey } from './shape.ts'

/** An item of a list with the key of an earlier item. */
export interface Duplicate {
  readonly index: number
  /** index of the nearest earlier item with the key */
  readonly earlier: number
}

/** Every item with the key of an earlier item. Ignores items without a key, which other checks report. */
export function findDuplicates(items: readonly unknown[], keys: readonly ListKey[]): readonly Duplicate[] {
  if (isDistinct(items, keys)) return [] // the usual case
  const last = new Map<Identity, number>()
  return items.flatMap((item, index) => {
    const id = identityOf(item, keys)
    if (id === undefined) return []
    const earlier = last.get(id)
    last.set(id, index)
    return earlier === undefined ? [] : [{ index, earlier }]
  })
}

/** Up to this number of items, comparing pairs is faster than building a set. */
const FEW = 8

function isDistinct(items: readonly unknown[], keys: readonly ListKey[]): boolean {
  const [only] = keys
  if (only === undefined) return true
  if (items.length > FEW) return keys.length === 1 && isSetOfKeys(items, only)
  return items.every((item, index) => {
    for (let earlier = 0; earlier < index; earlier += 1) if (isSameKey(item, items[earlier], keys)) return false
    return true
  })
}

/** Also false if several items lack the key. */
const isSetOfKeys = (items: readonly unknown[], { key, fallback }: ListKey): boolean =>
  new Set(items.map((item) => member(item, key) ?? fallback)).size === items.length
