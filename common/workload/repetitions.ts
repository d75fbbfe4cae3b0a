import { member } from '../api/object.ts'
import { type Identity, identityOf, isSameKey, type ListKey } from './shape.ts'

/** An item of a list whose key another had before it. */
export interface Repetition {
  readonly index: number
  /** of the last of those before it */
  readonly earlier: number
}

/** Every item with a key that is there already. Items that lack one are somebody else's finding. */
export function repetitions(items: readonly unknown[], keys: readonly ListKey[]): readonly Repetition[] {
  if (isDistinct(items, keys)) return [] // nearly always
  const last = new Map<Identity, number>()
  return items.flatMap((item, index) => {
    const id = identityOf(item, keys)
    if (id === undefined) return []
    const earlier = last.get(id)
    last.set(id, index)
    return earlier === undefined ? [] : [{ index, earlier }]
  })
}

/** Up to so many items are compared pair by pair in less than a set of them takes. */
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

/** False also of a list in which items lack the key. */
const isSetOfKeys = (items: readonly unknown[], { key, fallback }: ListKey): boolean =>
  new Set(items.map((item) => member(item, key) ?? fallback)).size === items.length
