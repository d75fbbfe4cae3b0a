import deepmerge from 'deepmerge'
import { isEqual, isObject, type Json, type JsonObject, listOr, member } from '../json/json.ts'
import { type Identity, identityOf, type Shape, type Union } from './shape.ts'

/**
 * The RFC 7386 patch with the same effect on `base` as the Strategic `override`: it contains keyed lists whole, with
 * merged items, and a null for each member that a union displaces. Shares objects with its arguments, so it must be
 * merged at once. Expects an override without errors by `unmergeable`.
 */
export function toMergePatch(base: unknown, override: JsonObject, shape: Shape): JsonObject {
  const displaced = shape.unions.flatMap((union) => displacedBy(union, override))
  return Object.fromEntries([
    ...displaced.filter((key) => member(base, key) !== undefined).map((key) => [key, null] as const),
    ...Object.entries(override).map(([key, value]) => [
      key,
      patchOf(member(base, key), value, { key, shape: shape.member(key) }),
    ]),
  ])
}

/** A member of an object: its key, and the shape of its value. */
interface Member {
  readonly key: string
  readonly shape: Shape
}

function patchOf(base: unknown, value: Json, at: Member): Json {
  if (Array.isArray(value)) return at.shape.keys.length > 0 ? mergedItems(base, value, at) : value
  return isObject(value) ? toMergePatch(base, value as JsonObject, at.shape) : value
}

/** Base items keep their places, because order matters: `$(VAR)` in `env` refers to earlier variables only. */
function mergedItems(base: unknown, items: readonly JsonObject[], { key, shape }: Member): Json[] {
  const merged: Json[] = [...(listOr(base) as readonly Json[])]
  const found = placesOf(merged, { key, shape })
  for (const item of items) {
    const [place = merged.length, ...again] = found.get(identityOf(item, shape.keys)) ?? []
    const before = merged[place]
    const patch = toMergePatch(before, item, shape.items())
    const after = mergePatch(isObject(before) ? (before as JsonObject) : {}, patch)
    for (const each of [place, ...again]) merged[each] = after
  }
  return merged
}

/**
 * The places of the items that count, by key. Of several with one key it is the last, as in the kubelet. Where a
 * variable is only listed again, its earlier places count as well, because others behind them may refer to it.
 */
function placesOf(
  items: readonly Json[],
  { key, shape }: Member,
): ReadonlyMap<Identity | undefined, readonly number[]> {
  const found = new Map<Identity | undefined, number[]>()
  items.forEach((item, place) => {
    const id = identityOf(item, shape.keys)
    const before = found.get(id)
    if (before && key === 'env' && id !== undefined && isEqual(items[place], items[before[0] ?? 0])) before.push(place)
    else found.set(id, [place])
  })
  return found
}

/** Members that exclude what `override` sets. Authors cannot remove them: client-side `kubectl apply` drops nulls. */
function displacedBy(union: Union, override: JsonObject): readonly string[] {
  if (union.is === 'byType') {
    const type = member(override, 'type')
    return typeof type === 'string' && type !== union.type ? [union.member] : []
  }
  const isSet = (key: string) => (member(override, key) ?? null) !== null
  return union.members.some(isSet) ? union.members.filter((key) => !isSet(key)) : []
}

/**
 * Applies `patch` to `base` by RFC 7386: maps are merged, scalars and lists replaced, null removes. Changes neither,
 * but shares objects with both: two results for one base share what neither patch mentions. Expects a patch within
 * `brokenLimits`, because it recurses and `deepmerge` loses keys that every object inherits.
 */
export function mergePatch(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = deepmerge<JsonObject>(base, patch, {
    clone: false,
    isMergeableObject: (value) => typeof value === 'object' && value !== null,
    arrayMerge: (_base, items) => items, // deepmerge would concatenate
  })
  prune(merged, patch)
  return merged
}

/** Removes from `merged` what `patch` sets to null. A null of the base itself stays, as the RFC demands. */
function prune(merged: Record<string, unknown>, patch: Readonly<Record<string, unknown>>): void {
  for (const key in patch) {
    const value = patch[key]
    if (value === null) delete merged[key]
    else if (isObject(value)) {
      const inner = merged[key] === value ? { ...value } : (merged[key] as Record<string, unknown>)
      merged[key] = inner
      prune(inner, value)
    }
  }
}
