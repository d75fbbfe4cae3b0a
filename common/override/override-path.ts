import type { OverrideType } from '../api/types.ts'
import type { Path } from '../json/field-path.ts'
import { isObject, type JsonObject, listOr, member } from '../json/json.ts'
import { type Identity, identityOf, type Shape } from './shape.ts'

/** A merged spec, and the override that was merged into it. */
interface MergedOverride {
  /** the merged spec, that of the fork */
  readonly spec: unknown
  readonly overrideSpec: JsonObject
  readonly overrideType: OverrideType
  readonly shape: Shape
}

/** A place in an override. */
interface OverridePlace {
  readonly path: Path
  /** whether a null ends the path, because it removes everything below it */
  readonly isNull: boolean
  /** whether the override has the whole path: it sets the value, or could set the missing one */
  readonly isWhole: boolean
}

/**
 * The path in the override to the value at `path` in the merged spec, as far as the override has it, whether that is
 * all of it, and whether a null ends it. Undefined if the override lacks even its first step. With Merge it is the same
 * path, because lists are replaced. With Strategic an item of a keyed list is the item of the override with the same
 * key.
 */
export function overridePath(
  { spec, overrideSpec, overrideType, shape }: MergedOverride,
  path: Path,
): OverridePlace | undefined {
  const found: (string | number)[] = []
  let place: OverrideCursor = { value: overrideSpec, merged: spec, shape, isByKeys: overrideType === 'Strategic' }
  for (const step of path) {
    const next = stepInto(place, step)
    if (next === undefined) break
    found.push(next.step)
    place = next
  }
  if (place.value === null) return { path: found, isNull: true, isWhole: true }
  if (found.length === 0) return undefined
  const [missing, ...more] = path.slice(found.length)
  if (missing === undefined) return { path: found, isNull: false, isWhole: true }
  // a missing field has a path although the override does not have it
  const isField = typeof missing === 'string' && more.length === 0
  return { path: isField ? [...found, missing] : found, isNull: false, isWhole: isField && !isPresent(spec, path) }
}

/** One place in the override and in the merged spec. */
interface OverrideCursor {
  readonly value: unknown
  readonly merged: unknown
  readonly shape: Shape
  /** whether lists below merge by their keys; they do not in a list that is replaced */
  readonly isByKeys: boolean
}

function stepInto({ value, merged, shape, isByKeys }: OverrideCursor, step: string | number) {
  if (typeof step === 'string')
    return isObject(value) && Object.hasOwn(value, step)
      ? { step, value: value[step], merged: member(merged, step), shape: shape.member(step), isByKeys }
      : undefined
  if (!Array.isArray(value)) return undefined
  const item: unknown = Array.isArray(merged) ? merged[step] : undefined
  const isMerged = isByKeys && shape.keys.length > 0
  const index = isMerged ? indexOf(value, identityOf(item, shape.keys), shape) : step
  return index < 0 || index >= value.length
    ? undefined
    : { step: index, value: value[index], merged: item, shape: shape.items(), isByKeys: isMerged }
}

const indexOf = (items: readonly unknown[], id: Identity | undefined, { keys }: Shape): number =>
  id === undefined ? -1 : items.findIndex((item) => identityOf(item, keys) === id)

/** Whether a value at `path` exists. */
const isPresent = (value: unknown, path: Path): boolean =>
  path.reduce<unknown>((at, step) => (typeof step === 'string' ? member(at, step) : listOr(at)[step]), value) !==
  undefined
