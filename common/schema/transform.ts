import type { OverrideType } from '../api/types.ts'
import { sha256Of } from '../json/canonical.ts'
import { at, isObject, listOr, member, objectOr } from '../json/json.ts'
import type { ListKey } from '../override/shape.ts'
import type { KnownFields } from '../override/spec-schema.ts'

/**
 * A JSON Schema for ajv, as plain JSON. It refers to another one by `{ definition: NAME }`. With `$ref`, ajv would
 * compile all of them together, although most documents use few of them.
 */
export type JsonSchema = Readonly<Record<string, unknown>>
/** The schemas of an OpenAPI document, by name. */
export type Schemas = Readonly<Record<string, unknown>>

/**
 * `Merge` and `Strategic`: for overrides of that type. Along object paths (under Strategic also through keyed lists)
 * everything is optional and null removes. `full`: for complete values, such as items of replaced lists and the merged
 * spec.
 */
export type Variant = OverrideType | 'full'

const REF_PREFIX = '#/components/schemas/'
const QUANTITY = /\.api\.resource\.Quantity$/
const FORMATS: ReadonlySet<unknown> = new Set(['int32', 'int64', 'date-time', 'byte'])

/**
 * A nested object with known fields whose schema has at least so many characters gets a definition of its own. The
 * document of a custom resource has no references: of the 969 objects in the three variants of Argo's Rollout, 178
 * differ.
 */
const INLINE_CHARS = 500

/** All keywords that are copied. Not `pattern`: JavaScript, unlike Go, does not match in linear time. */
const KEPT = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** Schemas by name, which refer to each other. The root has the names of the variants. */
export interface Definitions extends Readonly<Record<Variant, JsonSchema>> {
  readonly [name: string]: JsonSchema
}

/**
 * Converts `root` of the `schemas` of an OpenAPI v3 document, and everything that it refers to, to JSON Schema. One set
 * of definitions serves all variants, because they have most definitions in common.
 */
export function transform(schemas: Schemas, root: unknown): Definitions {
  const definitions: Record<string, JsonSchema> = {}
  const wanted: { readonly id: string; readonly name: string; readonly variant: Variant }[] = []
  const refer = (name: string, variant: Variant): JsonSchema => {
    const id = `${variant}:${name}`
    if (!Object.hasOwn(definitions, id)) {
      definitions[id] = {} // a placeholder, so that a schema can refer to itself
      wanted.push({ id, name, variant })
    }
    return { definition: id }
  }
  const define = (schema: JsonSchema): JsonSchema => {
    if (!isObject(schema.properties) || JSON.stringify(schema).length < INLINE_CHARS) return schema
    const id = `hash:${sha256Of(schema, 16)}`
    definitions[id] = schema
    return { definition: id }
  }
  const convert = converter(schemas, { refer, define })
  const roots = { Merge: convert(root, 'Merge'), Strategic: convert(root, 'Strategic'), full: convert(root, 'full') }
  // the loop adds to `wanted`
  for (const { id, name, variant } of wanted) definitions[id] = convert(member(schemas, name), variant)
  return { ...definitions, ...roots }
}

type Convert = (schema: unknown, variant: Variant) => JsonSchema

interface Referring {
  /** refers to one of the schemas of the document */
  readonly refer: (name: string, variant: Variant) => JsonSchema
  /** makes a definition of a converted schema that is large, and refers to it */
  readonly define: (schema: JsonSchema) => JsonSchema
}

function converter(schemas: Schemas, { refer, define }: Referring): Convert {
  const inner: Convert = (schema, variant) => define(convert(schema, variant))
  const convert: Convert = (schema, variant) => {
    const name = referencedName(schema)
    if (name !== undefined && QUANTITY.test(name)) return { ...typed(['number', 'string'], variant), quantity: true }
    if (name !== undefined) return refer(name, variant)
    if (!isObject(schema)) return {}
    if (isIntOrString(schema)) return { ...typed(['integer', 'string'], variant), format: 'int32' }
    return {
      ...Object.fromEntries(
        KEPT.flatMap((keyword) => (Object.hasOwn(schema, keyword) ? [[keyword, schema[keyword]]] : [])),
      ),
      ...(typeof schema.type === 'string' ? typed([schema.type], schema.nullable === true ? 'Merge' : variant) : {}),
      ...(FORMATS.has(schema.format) ? { format: schema.format } : {}),
      ...(Array.isArray(schema.enum) ? { enum: variant === 'full' ? schema.enum : [...schema.enum, null] } : {}),
      ...members(schema, variant),
      ...items(schema, variant),
    }
  }

  const members = (schema: JsonSchema, variant: Variant): JsonSchema => {
    const { properties, additionalProperties } = schema
    if (isObject(additionalProperties)) return { additionalProperties: inner(additionalProperties, variant) }
    if (!isObject(properties)) return {}
    const isOpen = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true
    return {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, { ...inner(value, variant), ...defaultIn(value) }]),
      ),
      ...(variant === 'full' && Array.isArray(schema.required) ? { required: schema.required } : {}),
      ...(isOpen ? {} : { additionalProperties: false }),
    }
  }

  const items = (schema: JsonSchema, variant: Variant): JsonSchema => {
    if (!isObject(schema.items)) return {}
    const names = listOr(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string')
    if (names.length === 0) return { items: inner(schema.items, 'full') }
    const uniqueBy = names.map((key) => listKey(schemas, schema.items, key))
    if (variant !== 'Strategic') return { items: inner(schema.items, 'full'), uniqueBy }
    const required = uniqueBy.filter(({ fallback }) => !fallback).map(({ key }) => key)
    const item = convert(schema.items, variant)
    const known = objectOr(item.properties) // a reference has no properties
    const keyed = Object.fromEntries(required.map((key) => [key, { ...objectOr(member(known, key)), present: 'key' }]))
    return { items: { ...item, present: 'item', required, properties: { ...known, ...keyed } }, uniqueBy }
  }

  return convert
}

/** The name that `schema` refers to: by `$ref`, or by an `allOf` with one `$ref`, which allows a description. */
export function referencedName(schema: unknown): string | undefined {
  const [only, ...others] = listOr(member(schema, 'allOf'))
  const ref = member(schema, '$ref') ?? (others.length === 0 ? member(only, '$ref') : undefined)
  return typeof ref === 'string' && ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : undefined
}

/** `schema`, or the definition that it refers to. */
export function resolved(definitions: Definitions, schema: unknown): unknown {
  const name = member(schema, 'definition')
  return typeof name === 'string' ? member(definitions, name) : schema
}

/** The value that the API server fills in. Every required scalar has its zero value as default, which says nothing. */
function defaultIn(schema: unknown): { readonly default?: unknown } {
  const value = member(schema, 'default')
  return value ? { default: value } : {}
}

const isIntOrString = (schema: JsonSchema): boolean =>
  schema.format === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true

const typed = (types: readonly string[], variant: Variant): JsonSchema => ({
  type: variant === 'full' ? types : [...types, 'null'],
})

function listKey(schemas: Schemas, items: unknown, key: string): ListKey {
  const name = referencedName(items)
  const item = name === undefined ? items : member(schemas, name)
  const fallback = at(item, 'properties', key, 'default')
  // in the API server's schemas every required key has its zero value as default, which says nothing
  const isRequired = listOr(member(item, 'required')).includes(key)
  return typeof fallback === 'string' && !isRequired ? { key, fallback } : { key }
}

const ANYTHING: KnownFields = {}

/**
 * The fields known below the property `key` of `root`. Maps, and objects that preserve unknown fields, know anything.
 */
export function knownFieldsAt(schemas: Schemas, root: unknown, key: string): KnownFields {
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
  return visit(at(root, 'properties', key))
}

const isOpen = (schema: Readonly<Record<string, unknown>>): boolean =>
  member(schema, 'x-kubernetes-preserve-unknown-fields') === true || schema.additionalProperties !== undefined
