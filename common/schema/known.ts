import { isObject, member, objectOr } from '../api/object.ts'
import type { Known } from '../workload/known.ts'
import { referenced, type Schemas } from './transform.ts'

const ANYTHING: Known = {}

/** What `root`, a schema of `schemas`, knows. Maps, and what preserves unknown fields, take anything. */
function knownOf(schemas: Schemas, root: unknown): Known {
  const seen = new Set<string>()
  const visit = (schema: unknown): Known => {
    const name = referenced(schema)
    if (name !== undefined) {
      if (seen.has(name)) return ANYTHING // one that refers to itself: deeper than anybody prunes
      seen.add(name)
      const found = visit(member(schemas, name))
      seen.delete(name)
      return found
    }
    if (!isObject(schema)) return ANYTHING
    if (isObject(schema.items)) return { items: visit(schema.items) }
    if (!isObject(schema.properties) || isOpen(schema)) return ANYTHING
    const members = Object.entries(schema.properties).map(([key, inner]) => [key, visit(inner)] as const)
    return { members: new Map(members) }
  }
  return visit(root)
}

const isOpen = (schema: Readonly<Record<string, unknown>>): boolean =>
  member(schema, 'x-kubernetes-preserve-unknown-fields') === true || schema.additionalProperties !== undefined

/** What `root` knows below its property `key`. */
export const knownBelow = (schemas: Schemas, root: unknown, key: string): Known =>
  knownOf(schemas, member(objectOr(member(root, 'properties')), key))
