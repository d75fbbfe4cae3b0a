import { isObject, listOr, member, objectOr } from '../api/object.ts'
import type { ItemStep, Step } from '../api/override-path.ts'
import { isDefaulted } from './defaulted.ts'
import { identityOf, keyValues, type ListKey, type Shape } from './shape.ts'

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
export const changesBetween = (plain: unknown, changed: unknown, shape: Shape): readonly Change[] =>
  visit({ before: plain, after: changed }, shape, []).filter((change) => !isDefaulted(change))

interface Sides {
  readonly before: unknown
  readonly after: unknown
}

function visit({ before, after }: Sides, shape: Shape, path: readonly Step[]): readonly Change[] {
  const [was, is] = [formOf(before), formOf(after)]
  if (isLeaf(before) && isLeaf(after))
    return before === after || (was === is && was !== 'scalar') ? [] : [{ path, before, after }]
  if (was !== is && was !== undefined && is !== undefined)
    return [...visit({ before, after: undefined }, shape, path), ...visit({ before: undefined, after }, shape, path)]
  return (is ?? was) === 'list'
    ? pairs(listOr(before), listOr(after), shape).flatMap(({ step, ...sides }) =>
        visit(sides, shape.items(), [...path, step]),
      )
    : [...new Set([...Object.keys(objectOr(before)), ...Object.keys(objectOr(after))])].flatMap((key) =>
        visit({ before: member(before, key), after: member(after, key) }, shape.member(key), [
          ...path,
          { is: 'member', key },
        ]),
      )
}

const formOf = (value: unknown): 'list' | 'object' | 'scalar' | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? 'list' : isObject(value) ? 'object' : 'scalar'

const isLeaf = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0

interface Pair extends Sides {
  readonly step: ItemStep
}

/** The items of two lists, those of one key together: first as they stand in `after`, then what is gone. */
function pairs(before: readonly unknown[], after: readonly unknown[], { keys: known }: Shape): readonly Pair[] {
  const keys = known.length > 0 ? known : guessedKeys([...before, ...after])
  const [former, present] = [identified(before, keys), identified(after, keys)]
  const step = (item: unknown, index: number, became: ItemStep['became']): ItemStep => ({
    is: 'item',
    names: keys.length > 0 ? namesOf(item, keys) : [`${index}`],
    index,
    keyed: keys.length > 0 ? { keys, identity: identityOf(item, keys) } : undefined,
    became,
  })
  const kept = [...present].map(([id, index]) => {
    const place = former.get(id)
    const item = after[index]
    return place === undefined
      ? { before: undefined, after: item, step: step(item, index, 'added') }
      : { before: before[place], after: item, step: step(item, index, undefined) }
  })
  const gone = [...former]
    .filter(([id]) => !present.has(id))
    .map(([, index]) => ({
      before: before[index],
      after: undefined,
      step: step(before[index], index, 'removed'),
    }))
  return [...kept, ...gone]
}

/** The index of each item by what it is known by: the second of two with one key is another than the first. */
function identified(items: readonly unknown[], keys: readonly ListKey[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const seen = new Map<string, number>()
  items.forEach((item, index) => {
    const identity = keys.length > 0 ? (identityOf(item, keys) ?? '') : ''
    const earlier = seen.get(identity) ?? 0
    seen.set(identity, earlier + 1)
    places.set(`${earlier} ${identity}`, index)
  })
  return places
}

/** `8080` and, of a list with two keys, `8080/TCP` as well. */
function namesOf(item: unknown, keys: readonly ListKey[]): readonly string[] {
  const values = keyValues(item, keys).filter((value) => value !== undefined && typeof value !== 'object')
  return values.length === 0 ? [] : [...new Set([String(values[0]), values.join('/')])]
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
