import { OVERRIDE_LIMITS } from '../api/limits.ts'
import { isObject } from '../json/json.ts'

/**
 * `value` with null in the place of everything that is nested deeper than `OVERRIDE_LIMITS.depth` levels. For objects
 * of the cluster, which no check of ours has bounded, before anything recursive reads them.
 */
export const withinDepth = (value: unknown): unknown =>
  isDeeper(value, OVERRIDE_LIMITS.depth) ? cut(value, OVERRIDE_LIMITS.depth) : value

/** Whether `value` has lists or objects deeper than `levels` below it. Recursive, but no deeper than that. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels < 0) return null
  if (!isObject(value)) return (value as readonly unknown[]).map((item) => cut(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner, levels - 1)]))
}
