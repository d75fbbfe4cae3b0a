import { isObject, type Json, type JsonObject } from '../api/object.ts'

/** Which fields a kind's own schema knows. Where it has neither members nor items, it takes anything. */
export interface Known {
  readonly members?: ReadonlyMap<string, Known>
  readonly items?: Known
}

/**
 * `value` less every field that `known` does not have. A Rollout's template may come from a ReplicaSet in which a newer
 * API server has filled in fields that the CRD of an older Argo has never heard of: a strict apply would refuse them.
 * Expects a value within limits of depth: it recurses as deep as `known`.
 */
export function pruned(value: Json, known: Known): Json {
  const { members, items } = known
  if (Array.isArray(value)) return items ? value.map((item) => pruned(item, items)) : value
  if (!isObject(value) || !members) return value
  const kept = Object.entries(value as JsonObject).flatMap(([key, inner]) => {
    const below = members.get(key)
    return below ? [[key, pruned(inner, below)] as const] : []
  })
  return Object.fromEntries(kept)
}
