import { isEmpty, isEqual, isObject, type Json } from '../json/json.ts'
import { itemText, memberText, pathSteps } from '../override/path.ts'
import { keyValues, type ListKey, type Shape } from '../override/shape.ts'

/** A field that a promotion changes. It is absent on the side for which there is no member. */
export interface RecordedChange {
  /**
   * In the `spec` of the source, in the language of `common/override/path.ts`: `template.spec.containers[cart].image`.
   * With `[*]` at its end it is the order of a list, and the values are the names of its items.
   */
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

/** A step of a path, with its text. Without a key it is `[*]`: the order of a list. */
export interface ChangeStep {
  readonly text: string
  /** of a member, or the name of an item */
  readonly key?: string
}

/** A side is undefined where the field is absent. */
export interface Sides {
  readonly before: unknown
  readonly after: unknown
}

/** A field in which two values differ. */
export interface Difference extends Sides {
  readonly steps: readonly ChangeStep[]
}

/** The step that stands for the order of a list. */
const ORDER: ChangeStep = { text: '[*]' }

/**
 * The fields in which two values differ, as few as possible: items of lists by their key. A list without keys, or one
 * in which a key is missing or repeated, is one field.
 */
export function differencesOf(of: Sides, shape: Shape, steps: readonly ChangeStep[] = []): readonly Difference[] {
  if (of.before === of.after || isEqual(of.before, of.after)) return []
  return hasNoParts(of.before) || hasNoParts(of.after) ? [{ steps, ...of }] : partsThatDiffer(of, shape, steps)
}

/** Whether a value has no parts. */
const hasNoParts = (value: unknown): boolean => typeof value !== 'object' || value === null || isEmpty(value)

/** As `differencesOf`, but of an empty side too: then each part of the other one is a field. */
export function partsThatDiffer(of: Sides, shape: Shape, steps: readonly ChangeStep[] = []): readonly Difference[] {
  const [before, after] = [partsOf(of.before, shape), partsOf(of.after, shape)]
  if (!before || !after || before.isList !== after.isList) return [{ steps, ...of }]
  const keys = [...new Set([...before.parts.keys(), ...after.parts.keys()])]
  const found = keys.map((key) => ({
    key,
    text: before.isList ? itemText(key) : memberText(key),
    before: before.parts.get(key),
    after: after.parts.get(key),
  }))
  // what no path can name is part of what is around it
  if (found.some(({ text, before, after }) => text === undefined && !isEqual(before, after))) return [{ steps, ...of }]
  const order = { before: [...before.parts.keys()], after: [...after.parts.keys()] }
  const isReordered = before.isList && !isEqual(order.before, order.after)
  return [
    ...found.flatMap(({ key, text = '', ...sides }) =>
      differencesOf(sides, before.isList ? shape.items() : shape.member(key), [...steps, { text, key }]),
    ),
    ...(isReordered ? [{ steps: [...steps, ORDER], ...order }] : []),
  ]
}

/** The members of an object, or the items of a list by their name. */
interface Parts {
  readonly isList: boolean
  readonly parts: ReadonlyMap<string, unknown>
}

/** The parts of `value`; undefined if it has none, or if not each of them has a name of its own. */
function partsOf(value: unknown, shape: Shape): Parts | undefined {
  if (isObject(value)) return { isList: false, parts: new Map(Object.entries(value)) }
  const parts = Array.isArray(value) ? itemsByName(value, shape.keys) : undefined
  return parts && { isList: true, parts }
}

/** The items of a list by their name; undefined if one has none, or if two have the same. */
export function itemsByName(
  items: readonly unknown[],
  keys: readonly ListKey[],
): ReadonlyMap<string, unknown> | undefined {
  const parts = new Map(items.map((item) => [nameOfItem(item, keys) ?? '', item] as const))
  return parts.size === items.length && !parts.has('') ? parts : undefined
}

/** How an item of a list is told from the others: by its name, or by its index if it has none of its own. */
export type ItemName = string | number

/** The items of a list in their order, and whether more than one of them has a name. */
export function itemsInOrder(items: readonly unknown[], keys: readonly ListKey[]) {
  const names = items.map((item) => nameOfItem(item, keys) || undefined)
  const indexes = Map.groupBy(names.keys(), (index) => names[index])
  const isRepeated = (name: string | undefined) => (indexes.get(name)?.length ?? 0) > 1
  const nameAt = (index: number): ItemName => (isRepeated(names[index]) ? index : (names[index] ?? index))
  return { items: new Map(items.map((item, index) => [nameAt(index), item] as const)), isRepeated }
}

/** `cart`, or `80/TCP` in a list with two keys; undefined if a key is missing or no plain value. */
function nameOfItem(item: unknown, keys: readonly ListKey[]): string | undefined {
  const values = keyValues(item, keys)
  return values.every((value) => value !== undefined && typeof value !== 'object') ? values.join('/') : undefined
}

/** What a record keeps of `differences`, in the order of their paths. */
export const recordedChanges = (differences: readonly Difference[]): readonly RecordedChange[] =>
  differences
    .map(({ steps, before, after }) => ({
      path: pathOf(steps),
      ...(before === undefined ? {} : { before: before as Json }),
      ...(after === undefined ? {} : { after: after as Json }),
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))

/** `template.spec.containers[cart].image`. */
export const pathOf = (steps: readonly ChangeStep[]): string =>
  steps
    .map(({ text }) => text)
    .join('')
    .replace(/^\./, '')

/** Reads what `recordedChanges` makes; undefined if `found` is something else. */
export function differencesIn(found: unknown): readonly Difference[] | undefined {
  if (!Array.isArray(found)) return undefined
  const read = found.map(differenceIn)
  return read.every((each) => each !== undefined) ? read : undefined
}

function differenceIn(change: unknown): Difference | undefined {
  if (!isObject(change) || typeof change.path !== 'string') return undefined
  const steps = pathSteps(change.path)?.map((step): ChangeStep => {
    const key = step.is === 'many' ? undefined : step.is === 'member' ? step.keys?.[0] : step.name
    return { text: step.text, ...(key === undefined ? {} : { key }) }
  })
  return steps && { steps, before: change.before, after: change.after }
}
