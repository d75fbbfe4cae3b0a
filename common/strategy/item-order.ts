import { isEqual } from '../json/json.ts'
import type { ItemName, Sides } from './recorded-changes.ts'

/**
 * The order of a list after its changes are taken back: the present one, and what comes back is behind what it was
 * behind. If the promotion has changed the order of the items that stay, and that is still there, it is the former one.
 */
export function takenBackOrder({ before, after }: Sides, names: readonly ItemName[], present: readonly ItemName[]) {
  const [former, promoted, kept] = [namesIn(before), namesIn(after), new Set<ItemName>(names)]
  const inAll = [former, promoted, present].map((list) => new Set(list))
  const [was, became, is] = [former, promoted, present].map((list) =>
    list.filter((name) => inAll.every((set) => set.has(name))),
  )
  const isOurOrder = isEqual(became, is) && !isEqual(became, was)
  const [back, own] = [former, present].map((list) => list.filter((name) => kept.has(name)))
  const ordered = isOurOrder ? merged(back, own) : merged(own, back)
  return merged(ordered, names)
}

const namesIn = (value: unknown): readonly ItemName[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []

/** `first`, and each name that only `second` has, behind the name that is before it there. */
function merged(first: readonly ItemName[] = [], second: readonly ItemName[] = []): readonly ItemName[] {
  const known = new Set(first)
  const behind = new Map<ItemName, ItemName[]>()
  let before: ItemName = ''
  for (const name of second)
    if (known.has(name)) before = name
    else behind.set(before, [...(behind.get(before) ?? []), name])
  return ['', ...first].flatMap((name) => [...(name === '' ? [] : [name]), ...(behind.get(name) ?? [])])
}
