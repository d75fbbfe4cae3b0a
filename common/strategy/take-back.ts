import { isEmpty, isEqual, isObject, type JsonObject, member } from '../json/json.ts'
import { changesBetween } from '../override/changes.ts'
import { itemText, memberText, type PathStep } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'
import { type Difference, type ItemName, itemsInOrder, partsThatDiffer, type Sides } from './recorded-changes.ts'

/** What becomes of the `spec` of a source when the changes of a promotion are taken back. */
export interface TakenBack {
  /** the whole `spec` afterwards */
  readonly after: JsonObject
  /** the paths of what is taken back, wholly or in part */
  readonly taken: readonly string[]
  /** the paths of what stays, because others have changed it since */
  readonly left: readonly string[]
}

interface TakeBackInput {
  /** of the source, as it is now */
  readonly spec: JsonObject
  readonly shape: Shape
  /** whether the source is as the promotion left it; then everything is taken back, whatever the API server stored */
  readonly isAsWritten?: boolean
}

/**
 * Takes back each change of a promotion that is still in the source: where the source has the value after, it gets the
 * value before. Everything else stays, also in the same list. An item of a list that the promotion added goes whole,
 * with what others have added to it.
 */
export function takenBack(
  changes: readonly Difference[],
  { spec, shape, isAsWritten = false }: TakeBackInput,
): TakenBack {
  const [tree, root] = [treeOf(changes), { path: '', shape, isItem: false }]
  const differing = (side: keyof Sides) => {
    const other = changed(tree, spec, root, { change: (sides) => sides[side] })
    return placesOf(changesBetween(spec, other, shape).map(({ path }) => path))
  }
  const found = { taken: new Set<string>(), left: new Set<string>() }
  const seen = { ...found, isAsWritten, notAfter: differing('after'), notBefore: differing('before') }
  const after = changed(tree, spec, root, takingBack(seen)) as JsonObject
  return { after, taken: [...found.taken].map(shown), left: [...found.left].map(shown) }
}

/** Without its first dot, as all paths are written. */
const shown = (path: string): string => path.replace(/^\./, '')

/** A path as people know it: fields of the pod without `template.spec`. */
export const fieldOf = (path: string): string => path.replace(/^template\.spec\./, '')

/** The changes of a promotion, by the steps to them. */
interface Node {
  sides?: Sides
  /** the names of the items of a list, in their order */
  order?: Sides
  readonly children: Map<string, Node>
}

function treeOf(changes: readonly Difference[]): Node {
  const root: Node = { children: new Map() }
  for (const { steps, before, after } of changes) {
    let node = root
    const isOrder = steps.at(-1)?.key === undefined && steps.length > 0
    for (const { key = '' } of isOrder ? steps.slice(0, -1) : steps) {
      const next: Node = node.children.get(key) ?? { children: new Map() }
      node.children.set(key, next)
      node = next
    }
    if (isOrder) node.order = { before, after }
    else node.sides = { before, after }
  }
  return root
}

interface Place {
  readonly path: string
  readonly shape: Shape
  /** whether it is an item of a list */
  readonly isItem: boolean
}

/** What is done at each place of a tree. By default nothing is done with lists, objects and lost places. */
interface Visit {
  /** the new value of a changed field; undefined: it is removed */
  readonly change: (sides: Sides, now: unknown, place: Place) => unknown
  readonly order?: (order: Sides, names: readonly ItemName[], present: readonly ItemName[]) => readonly ItemName[]
  readonly object?: (value: Members, now: Members, place: Place) => unknown
  /** a change is below a place that is no more, or that is there twice */
  readonly lost?: (place: Place) => void
}

type Members = Readonly<Record<string, unknown>>

/** `now` with what `visit` makes of each place in `node`. Shares with `now` what it leaves as it is. */
function changed(node: Node, now: unknown, place: Place, visit: Visit): unknown {
  if (node.sides) return visit.change(node.sides, now, place)
  const { keys, form } = place.shape
  // the API server leaves out empty lists and maps
  if (keys.length > 0 && (now === undefined || Array.isArray(now))) return changedItems(node, now, place, visit)
  if (isObject(now) || (form === 'map' && now === undefined)) return changedMembers(node, now, place, visit)
  visit.lost?.(place)
  return now
}

function changedMembers(node: Node, now: Members | undefined, { path, shape }: Place, visit: Visit): unknown {
  const value: Record<string, unknown> = { ...now }
  for (const [key, child] of node.children) {
    const place = { path: path + (memberText(key) ?? key), shape: shape.member(key), isItem: false }
    const is = changed(child, member(now, key), place, visit)
    if (is === undefined) delete value[key]
    else value[key] = is
  }
  if (isEqualShallow(value, now ?? {})) return now
  return visit.object?.(value, now ?? {}, { path, shape, isItem: false }) ?? value
}

const isEqualShallow = (one: Members, other: Members): boolean =>
  Object.keys(one).length === Object.keys(other).length && Object.keys(one).every((key) => one[key] === other[key])

function changedItems(node: Node, now: readonly unknown[] | undefined, place: Place, visit: Visit): unknown {
  const { path, shape } = place
  const { items, isRepeated } = itemsInOrder(now ?? [], shape.keys)
  const found = new Map(items)
  for (const [name, child] of node.children) {
    const at = { path: path + (itemText(name) ?? name), shape: shape.items(), isItem: true }
    if (isRepeated(name)) {
      visit.lost?.(at)
      continue
    }
    const is = changed(child, items.get(name), at, visit)
    if (is === undefined) found.delete(name)
    else found.set(name, is)
  }
  const names = [...found.keys()]
  const ordered = node.order && visit.order ? visit.order(node.order, names, [...items.keys()]) : names
  const value = ordered.map((name) => found.get(name))
  const isSame = value.length === items.size && value.every((item, index) => item === now?.[index])
  return isSame ? now : value
}

/** What `taken` and `left` collect, and in which places the source has neither the values after nor those before. */
interface Seen {
  readonly isAsWritten: boolean
  readonly notAfter: ReadonlySet<string>
  readonly notBefore: ReadonlySet<string>
  readonly taken: Set<string>
  readonly left: Set<string>
}

function takingBack(seen: Seen): Visit {
  const leave = (now: unknown, { path }: Place) => {
    seen.left.add(path)
    return now
  }
  return {
    change: (sides, now, place) => {
      const { before } = sides
      if (seen.isAsWritten || !seen.notAfter.has(place.path)) {
        if (!isEqual(before, now)) seen.taken.add(place.path)
        return before
      }
      if (!seen.notBefore.has(place.path)) return now // somebody has taken it back
      const inner = partsOfChange(sides, now, place)
      if (!inner) return leave(now, place)
      // what is taken back of an object must be an object that the API server accepts
      const isWhole = place.isItem || place.shape.unions.length > 0
      const found = { taken: new Set<string>(), left: new Set<string>() }
      const value = changed(treeOf(inner), now, place, takingBack({ ...seen, ...found }))
      const mayBePart = !isWhole || (before !== undefined && sides.after !== undefined)
      if (!mayBePart && (found.left.size > 0 || sides.after === undefined)) return leave(now, place)
      if (found.taken.size > 0) seen.taken.add(place.path)
      for (const path of found.left) seen.left.add(path)
      return before === undefined && (!mayBePart || isEmptyPart(value)) ? undefined : value
    },
    order: takenBackOrder,
    object: (value, now, place) => withFittingUnions(value, now, place, leave),
    lost: (place) => leave(undefined, place),
  }
}

const isEmptyPart = (value: unknown): boolean => typeof value === 'object' && value !== null && isEmpty(value)

/** The changes inside of a changed field, where all that there is of it are objects, or lists with keys. */
function partsOfChange({ before, after }: Sides, now: unknown, { shape }: Place): readonly Difference[] | undefined {
  const all = [before, after, now].filter((value) => value !== undefined)
  const areLists = all.every(Array.isArray)
  if (all.length < 2 || !(areLists ? shape.keys.length > 0 : all.every(isObject))) return undefined
  const empty = areLists ? [] : {}
  const found = partsThatDiffer({ before: before ?? empty, after: after ?? empty }, shape)
  return found.some(({ steps }) => steps.length === 0) ? undefined : found
}

/** A union of which two members would be set stays as it is. */
function withFittingUnions(
  value: Members,
  now: Members,
  { path, shape }: Place,
  leave: (now: unknown, place: Place) => unknown,
): Members {
  const isSet = (of: Members, key: string) => (of[key] ?? null) !== null
  const unfit = shape.unions.filter((union) => {
    const fits = (of: Members) =>
      union.is === 'oneOf'
        ? union.members.filter((key) => isSet(of, key)).length <= 1
        : !isSet(of, union.member) || !isSet(of, 'type') || of.type === union.type
    return fits(now) && !fits(value)
  })
  const keys = new Set(unfit.flatMap((union) => (union.is === 'oneOf' ? union.members : [union.member, 'type'])))
  if (keys.size === 0) return value
  leave(undefined, { path, shape, isItem: false })
  const others = Object.entries(value).filter(([key]) => !keys.has(key))
  return Object.fromEntries([...others, ...Object.entries(now).filter(([key]) => keys.has(key))])
}

/** Every place on the way to a path that differs. */
function placesOf(paths: readonly (readonly PathStep[])[]): ReadonlySet<string> {
  const places = new Set<string>()
  for (const path of paths) {
    let place = ''
    for (const step of path) {
      const name = step.is === 'member' ? step.key : (step.names.at(-1) ?? `${step.index}`)
      place += (step.is === 'member' ? memberText(name) : itemText(name)) ?? name
      places.add(place)
    }
  }
  return places
}

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
