import deepmerge from 'deepmerge'
import { isObject, type JsonObject } from '../api/object.ts'

/**
 * `patch` laid over `base` by RFC 7386: maps merge, scalars and lists replace, null removes. Writes to neither, and
 * shares with both what it takes over whole: what two results have of one base is the same object. Expects what
 * `brokenLimits` passes: it recurses, and `deepmerge` loses keys that every object inherits.
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

/** Removes from `merged` what `patch` nulled; a null that the base holds itself stays, as the RFC has it. */
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
