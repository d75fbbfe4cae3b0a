import { isEqual } from '../api/equal.ts'
import { isEmpty, isObject, listOr, member, objectOr } from '../api/object.ts'
import type { ItemStep, Step } from '../api/override-path.ts'
import { isDefaulted } from './defaulted.ts'
import { type Identity, identityOf, isSameKey, keyValues, type ListKey, type Shape } from './shape.ts'

/** A leaf in which two specs differ: a scalar, or an empty list or object. `undefined` on the side that lacks it. */
export interface Change {
  readonly path: readonly Step[]
  readonly before: unknown
  readonly after: unknown
}

/**
 * Every leaf in which `changed` differs from `plain`, two specs of one kind, however that was spelt. Items of keyed
 * lists are compared by key, wherever they stand, those of other lists by index; the leaves of an added or removed item
 * count one by one. A default of the API server on one side equals nothing on the other. Expects specs that were
 * derived: it recurses.
 */
export function changesBetween(plain: unknown, changed: unknown, shape: Shape): readonly Change[] {
  const changes: Change[] = []
  compare({ before: plain, after: changed }, shape, undefined, changes)
  return changes.filter((change) => !isDefaulted(change))
}

interface Sides {
  readonly before: unknown
  readonly after: unknown
}

/** The way to a value, as a chain: nearly all of a spec is equal, and no way to it is ever told. */
interface Way {
  readonly above: Way | undefined
  /** of an object */
  readonly key?: string
  /** of a list */
  readonly item?: Item
  /** made once: who judges leaf after leaf knows steps that are shared by their identity */
  step?: Step
}

function pathOf(way: Way | undefined, length = 0): Step[] {
  if (!way) return new Array(length)
  const steps = pathOf(way.above, length + 1)
  way.step ??= way.item ? itemStep(way.item) : { is: 'member', key: way.key ?? '' }
  steps[steps.length - 1 - length] = way.step
  return steps
}

function compare({ before, after }: Sides, shape: Shape, way: Way | undefined, found: Change[]): void {
  if (before === after) return
  const [was, is] = [formOf(before), formOf(after)]
  if (isLeaf(before) && isLeaf(after)) {
    if (was !== is || was === 'scalar') found.push({ path: pathOf(way), before, after })
  } else if (was !== is && was !== undefined && is !== undefined) {
    compare({ before, after: undefined }, shape, way, found)
    compare({ before: undefined, after }, shape, way, found)
  } else if ((is ?? was) === 'list') compareItems(listOr(before), listOr(after), { shape, way, found })
  else compareMembers(objectOr(before), objectOr(after), { shape, way, found })
}

interface Place {
  readonly shape: Shape
  readonly way: Way | undefined
  readonly found: Change[]
}

type Members = Readonly<Record<string, unknown>>

function compareMembers(before: Members, after: Members, { shape, way, found }: Place): void {
  const visit = (key: string) => {
    const was = member(before, key)
    const is = member(after, key)
    if (!isEqual(was, is)) compare({ before: was, after: is }, shape.member(key), { above: way, key }, found)
  }
  for (const key in before) visit(key)
  for (const key in after) if (!Object.hasOwn(before, key)) visit(key)
}

function compareItems(before: readonly unknown[], after: readonly unknown[], { shape, way, found }: Place): void {
  const keys = shape.keys.length > 0 ? shape.keys : guessedKeys([...before, ...after])
  const visit = (sides: Sides, index: number, became: ItemStep['became']) => {
    const value = became === 'removed' ? sides.before : sides.after
    if (!isEqual(sides.before, sides.after))
      compare(sides, shape.items(), { above: way, item: { value, keys, index, became } }, found)
  }
  if (isInStep(before, after, keys)) {
    for (const [index, item] of after.entries()) visit({ before: before[index], after: item }, index, undefined)
    return
  }
  const [former, present] = [identified(before, keys), identified(after, keys)]
  for (const [id, places] of present)
    places.forEach((index, nth) => {
      const place = former.get(id)?.[nth]
      if (place === undefined) visit({ before: undefined, after: after[index] }, index, 'added')
      else visit({ before: before[place], after: after[index] }, index, undefined)
    })
  for (const [id, places] of former)
    for (const index of places.slice(present.get(id)?.length ?? 0))
      visit({ before: before[index], after: undefined }, index, 'removed')
}

/** Whether two lists have the same keys in the same order: then items of one key stand at one index. */
const isInStep = (before: readonly unknown[], after: readonly unknown[], keys: readonly ListKey[]): boolean =>
  before.length === after.length && after.every((item, index) => isSameKey(item, before[index], keys))

interface Item {
  readonly value: unknown
  readonly keys: readonly ListKey[]
  readonly index: number
  readonly became: ItemStep['became']
}

const itemStep = ({ value, keys, index, became }: Item): ItemStep => ({
  is: 'item',
  names: keys.length > 0 ? namesOf(value, keys) : [`${index}`],
  index,
  keyed: keys.length > 0 ? { keys, identity: identityOf(value, keys) } : undefined,
  became,
})

const formOf = (value: unknown): 'list' | 'object' | 'scalar' | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? 'list' : isObject(value) ? 'object' : 'scalar'

const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null || isEmpty(value)

/** Where items are, by what they are known by: the second of two with one key is compared with the second. */
function identified(items: readonly unknown[], keys: readonly ListKey[]) {
  const found = new Map<Identity | undefined, number[]>()
  items.forEach((item, index) => {
    const identity = identityOf(item, keys)
    const places = found.get(identity)
    if (places) places.push(index)
    else found.set(identity, [index])
  })
  return found
}

/** `8080` and, of a list with two keys, `8080/TCP` as well. */
function namesOf(item: unknown, keys: readonly ListKey[]): readonly string[] {
  const values = keyValues(item, keys).filter((value) => value !== undefined && typeof value !== 'object')
  const [first, ...others] = values
  if (first === undefined) return []
  return others.length === 0 ? [String(first)] : [String(first), values.join('/')]
}

/** For lists of which no schema says keys: what tells the items of a pod's lists apart, where all of them have it. */
const GUESSES: readonly (readonly ListKey[])[] = [
  [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }],
  [{ key: 'mountPath' }],
  [{ key: 'devicePath' }],
  [{ key: 'name' }],
]

const guessedKeys = (items: readonly unknown[]): readonly ListKey[] =>
  GUESSES.find((keys) => items.every((item) => identityOf(item, keys) !== undefined)) ?? []
