import deepmerge from 'deepmerge'
import { isObject, type JsonObject } from '../api/object.ts'

/**
 * `override` laid over `base` by RFC 7386: maps merge, scalars and lists replace, null removes. Shares no object with
 * its arguments. Expects an override that `brokenLimits` has passed: it recurses, and `deepmerge` loses keys that every
 * object inherits.
 */
export function merge(base: JsonObject, override: JsonObject): JsonObject {
  const merged = deepmerge<JsonObject>(base, override, {
    isMergeableObject: (value) => typeof value === 'object' && value !== null,
    arrayMerge: (_base, items) => structuredClone(items), // deepmerge would concatenate
  })
  prune(merged, override)
  return merged
}

/** Removes from `merged` what `override` nulled; a null that the base holds itself stays, as the RFC has it. */
function prune(merged: Record<string, unknown>, override: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(override)) {
    const inner = merged[key]
    if (value === null) delete merged[key]
    else if (isObject(value) && isObject(inner)) prune(inner as Record<string, unknown>, value)
  }
}
