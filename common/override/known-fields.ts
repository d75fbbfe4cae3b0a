import { isObject, type Json, type JsonObject } from '../json/json.ts'

/** The fields that the schema of a kind knows. Without members and items, any value is known. */
export interface KnownFields {
  readonly members?: ReadonlyMap<string, KnownFields>
  readonly items?: KnownFields
}

/**
 * `value` without the fields that `known` does not have. The template of a Rollout may come from a ReplicaSet in which
 * a newer API server has filled in fields that the CRD of an older Argo does not know; a strict apply would refuse
 * them. Recurses as deep as `known`.
 */
export function pruneUnknownFields(value: Json, known: KnownFields): Json {
  const { members, items } = known
  if (Array.isArray(value)) return items ? value.map((item) => pruneUnknownFields(item, items)) : value
  if (!isObject(value) || !members) return value
  const kept = Object.entries(value as JsonObject).flatMap(([key, inner]) => {
    const below = members.get(key)
    return below ? [[key, pruneUnknownFields(inner, below)] as const] : []
  })
  return Object.fromEntries(kept)
}
