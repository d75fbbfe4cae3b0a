import { isObject, member, objectOr } from '../json/json.ts'
import type { KnownFields } from '../override/known-fields.ts'
import { referencedName, type Schemas } from './transform.ts'

const ANYTHING: KnownFields = {}

/** The fields that `root` knows. Maps, and objects that preserve unknown fields, know anything. */
function knownOf(schemas: Schemas, root: unknown): KnownFields {
  const seen = new Set<string>()
  const visit = (schema: unknown): KnownFields => {
    const name = referencedName(schema)
    if (name !== undefined) {
      if (seen.has(name)) return ANYTHING // a schema that refers to itself: nothing is pruned that deep
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

/** The fields that `root`, a schema of `schemas`, knows below its property `key`. */
export const knownFieldsAt = (schemas: Schemas, root: unknown, key: string): KnownFields =>
  knownOf(schemas, member(objectOr(member(root, 'properties')), key))
