import type { BoundedOverride, FieldError, OverrideType } from '../api/types.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import { replacedLists } from './replaced-lists.ts'
import type { Shape } from './shape.ts'
import { mergePatch, toMergePatch } from './strategic.ts'
import { unmergeable } from './unmergeable.ts'

/** The merged spec, or everything in the override that cannot be merged. */
export type Merged =
  | {
      readonly is: 'merged'
      readonly spec: JsonObject
      /** what containers lose because Merge replaces lists, one line for each container */
      readonly replaced: readonly string[]
    }
  | { readonly is: 'invalid'; readonly errors: readonly FieldError[] }

/**
 * `override` laid over `base`. Merge is RFC 7386; Strategic differs only for lists that have keys by `shape`, and for
 * unions. Shares no object with the override; what that leaves alone is the base's own. Expects a base that `baseOf`
 * made, and an override within `LIMITS`: it recurses.
 */
export function merge(base: JsonObject, override: BoundedOverride, type: OverrideType, shape: Shape): Merged {
  const errors = unmergeable(override, type, shape)
  if (errors.length > 0) return { is: 'invalid', errors }
  const own: JsonObject = copyOf<JsonObject>(override)
  if (type === 'Strategic')
    return { is: 'merged', spec: mergePatch(base, toMergePatch(base, own, shape)), replaced: [] }
  const spec = mergePatch(base, own)
  return { is: 'merged', spec, replaced: replacedLists(base, spec) }
}

/** Takes a sixth of the time of `structuredClone`, which supports more than JSON. */
function copyOf<T extends Json>(value: T): T
function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => copyOf(item))
  if (!isObject(value)) return value
  const copy: Record<string, Json> = {}
  for (const key in value) copy[key] = copyOf((value as JsonObject)[key] ?? null)
  return copy
}
