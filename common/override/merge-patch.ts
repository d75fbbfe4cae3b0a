import deepmerge from 'deepmerge'
import { isObject, type JsonObject } from '../json/json.ts'

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
