import deepmerge from 'deepmerge'
import { isObject, type Json, type JsonObject, listOr, member } from '../json/json.ts'
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
    ...Object.entries(override).map(([key, value]) => [key, patchOf(member(base, key), value, shape.member(key))]),
  ])
}

function patchOf(base: unknown, value: Json, shape: Shape): Json {
  if (Array.isArray(value)) return shape.keys.length > 0 ? mergedItems(base, value, shape) : value
  return isObject(value) ? toMergePatch(base, value as JsonObject, shape) : value
}

/** Base items keep their places, because order matters: `$(VAR)` in `env` refers to earlier variables only. */
function mergedItems(base: unknown, items: readonly JsonObject[], shape: Shape): Json[] {
  const merged: Json[] = [...(listOr(base) as readonly Json[])]
  const places = new Map<Identity | undefined, number>()
  merged.forEach((item, place) => {
    const id = identityOf(item, shape.keys)
    if (!places.has(id)) places.set(id, place)
  })
  for (const item of items) {
    const place = places.get(identityOf(item, shape.keys)) ?? merged.length
    const before = merged[place]
    const patch = toMergePatch(before, item, shape.items())
    merged[place] = mergePatch(isObject(before) ? (before as JsonObject) : {}, patch)
  }
  return merged
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
