import type { KubeObject } from '../api/object.ts'
import { isEmpty, isEqual, isObject, listOr, member, objectOr } from '../json/json.ts'
import { withoutDefaults } from './defaulted.ts'
import type { ItemStep, PathStep } from './path.ts'
import { type Identity, identityOf, isSameKey, keyValues, type ListKey, type Shape } from './shape.ts'

/** A leaf in which two specs differ: a scalar, or an empty list or object. It is `undefined` on the side without it. */
export interface FieldChange {
  readonly path: readonly PathStep[]
  readonly before: unknown
  readonly after: unknown
  /** it is an item of a list whose order matters, and its order changed: `before` and `after` are its places */
  readonly isMoved?: true
}

/**
 * Every leaf in which `changed` differs from `plain`, two derived specs of one kind. Items of keyed lists are compared
 * by key, and their order only where it matters; items of other lists by index. Each leaf of an added or removed item
 * is a change of its own. What the API server stores alike is equal. Recursive.
 */
export function changesBetween(plain: unknown, changed: unknown, shape: Shape): readonly FieldChange[] {
  const changes: FieldChange[] = []
  compare({ before: plain, after: changed }, shape, undefined, changes)
  return withoutDefaults(changes, { before: plain, after: changed, shape })
}

interface BeforeAndAfter {
  readonly before: unknown
  readonly after: unknown
}

/** The path to a value, as a chain. Nearly everything in two specs is equal, so few paths are ever built. */
interface Way {
  readonly above: Way | undefined
  /** for a member of an object */
  readonly key?: string
  /** for an item of a list */
  readonly item?: Item
  /** built once, so that leaves share the objects of their common steps: `coverage` compares these by identity */
  step?: PathStep
}

function pathOf(way: Way | undefined, length = 0): PathStep[] {
  if (!way) return new Array(length)
  const steps = pathOf(way.above, length + 1)
  way.step ??= way.item ? itemStep(way.item) : { is: 'member', key: way.key ?? '' }
  steps[steps.length - 1 - length] = way.step
  return steps
}

function compare({ before, after }: BeforeAndAfter, shape: Shape, way: Way | undefined, found: FieldChange[]): void {
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

interface Target {
  readonly shape: Shape
  readonly way: Way | undefined
  readonly found: FieldChange[]
}

type Members = Readonly<Record<string, unknown>>

function compareMembers(before: Members, after: Members, { shape, way, found }: Target): void {
  const visit = (key: string) => {
    const was = member(before, key)
    const is = member(after, key)
    if (!isEqual(was, is)) compare({ before: was, after: is }, shape.member(key), { above: way, key }, found)
  }
  for (const key in before) visit(key)
  for (const key in after) if (!Object.hasOwn(before, key)) visit(key)
}

function compareItems(before: readonly unknown[], after: readonly unknown[], { shape, way, found }: Target): void {
  const keys = shape.keys.length > 0 ? shape.keys : guessedKeys([...before, ...after])
  const visit = (sides: BeforeAndAfter, index: number, became: ItemStep['became']) => {
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
  const moved = ORDERED.has(way?.key ?? '') ? firstMoved(former, present) : undefined
  if (moved === undefined) return
  const [index = 0] = present.get(moved) ?? []
  const item = { value: after[index], keys, index, became: undefined }
  found.push({ path: pathOf({ above: way, item }), before: former.get(moved)?.[0], after: index, isMoved: true })
}

/** Init containers run one after the other, and `$(VAR)` in `env` refers to earlier variables only. */
const ORDERED: ReadonlySet<string> = new Set(['initContainers', 'env'])

/** The first item that both lists have, and that is at another place among these than before. */
function firstMoved(former: ItemPositions, present: ItemPositions): Identity | undefined {
  const before = [...former.keys()].filter((id) => present.has(id))
  return [...present.keys()].filter((id) => former.has(id)).find((id, index) => id !== before[index])
}

type ItemPositions = ReadonlyMap<Identity | undefined, readonly number[]>

/** Whether two lists have the same keys in the same order. Then items with the same key have the same index. */
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

/** The indexes of items, by identity. Of two items with the same key the second is compared with the second. */
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

/** `8080` and, in a list with two keys, also `8080/TCP`. */
function namesOf(item: unknown, keys: readonly ListKey[]): readonly string[] {
  const values = keyValues(item, keys).filter((value) => value !== undefined && typeof value !== 'object')
  const [first, ...others] = values
  if (first === undefined) return []
  return others.length === 0 ? [String(first)] : [String(first), values.join('/')]
}

/** Keys of the lists of a pod, for use without a schema. They apply to a list whose items all have them. */
const GUESSES: readonly (readonly ListKey[])[] = [
  [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }],
  [{ key: 'mountPath' }],
  [{ key: 'devicePath' }],
  [{ key: 'name' }],
]

const guessedKeys = (items: readonly unknown[]): readonly ListKey[] =>
  GUESSES.find((keys) => items.every((item) => identityOf(item, keys) !== undefined)) ?? []

/** A fork with its override, and the same fork with `overrideSpec: {}`. */
export interface OverrideEffect {
  readonly plain: KubeObject
  readonly changed: KubeObject
  /** the shape of the kind's `spec`; `NO_SHAPE` while the schema is not known */
  readonly shape: Shape
  /** every leaf in which the two specs differ; compared at the first call */
  readonly changes: () => readonly FieldChange[]
}

/** Pairs a fork with the fork without override. They are compared once, however often `changes` is called. */
export function overrideEffect(of: Pick<OverrideEffect, 'plain' | 'changed' | 'shape'>): OverrideEffect {
  // not in a WeakMap: its values survive one garbage collection longer
  let known: readonly FieldChange[] | undefined
  const changes = () => {
    known ??= changesBetween(of.plain.spec, of.changed.spec, of.shape)
    return known
  }
  return { ...of, changes }
}
