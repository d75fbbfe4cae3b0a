import { isObject, listOr, member, objectOr } from '../api/object.ts'
import type { OverrideType } from '../api/types.ts'
import type { ListKey } from '../workload/shape.ts'

/** A schema as ajv takes it. Plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of an OpenAPI document, by name. */
export type Schemas = Readonly<Record<string, unknown>>

/**
 * `Merge` and `Strategic`: what an override of that type may say along object paths, where everything can be left out
 * and null removes; for Strategic an item of a keyed list is such a path. `full`: what must be complete, be it an item
 * of a list that replaces or the spec that comes of the merge.
 */
export type Variant = OverrideType | 'full'

const REF_PREFIX = '#/components/schemas/'
const QUANTITY = /\.api\.resource\.Quantity$/
const FORMATS: ReadonlySet<unknown> = new Set(['int32', 'int64', 'date-time', 'byte'])

/**
 * Taken over as they are. A whitelist, so that what is new in a later API server is left to it. Not `pattern`: Go
 * matches in linear time, JavaScript does not.
 */
const KEPT = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** Schemas by name, which refer to each other by `#/definitions/NAME`; `root` in each variant is there by its name. */
export interface Definitions extends Readonly<Record<Variant, JsonSchema>> {
  readonly [name: string]: JsonSchema
}

/**
 * The JSON Schemas of `root`, from `schemas` of an OpenAPI v3 document, and of what it refers to, in the variants that
 * are needed. Together, since overrides of either type and the whole spec have most of them in common.
 */
export function transform(schemas: Schemas, root: unknown): Definitions {
  const definitions: Record<string, JsonSchema> = {}
  const wanted: { readonly id: string; readonly name: string; readonly variant: Variant }[] = []
  const refer = (name: string, variant: Variant): JsonSchema => {
    const id = `${variant}:${name}`
    if (!Object.hasOwn(definitions, id)) {
      definitions[id] = {} // known from now on, so that a schema may refer to itself
      wanted.push({ id, name, variant })
    }
    return { $ref: `#/definitions/${id}` }
  }
  const convert = converter(schemas, refer)
  const roots = { Merge: convert(root, 'Merge'), Strategic: convert(root, 'Strategic'), full: convert(root, 'full') }
  for (const { id, name, variant } of wanted) definitions[id] = convert(member(schemas, name), variant) // grows as it goes
  return { ...definitions, ...roots }
}

type Convert = (schema: unknown, variant: Variant) => JsonSchema

function converter(schemas: Schemas, refer: (name: string, variant: Variant) => JsonSchema): Convert {
  const convert: Convert = (schema, variant) => {
    const name = referenced(schema)
    if (name !== undefined && QUANTITY.test(name)) return { ...typed(['number', 'string'], variant), quantity: true }
    if (name !== undefined) return refer(name, variant)
    if (!isObject(schema)) return {}
    if (isIntOrString(schema)) return typed(['integer', 'string'], variant)
    return {
      ...Object.fromEntries(
        KEPT.flatMap((keyword) => (Object.hasOwn(schema, keyword) ? [[keyword, schema[keyword]]] : [])),
      ),
      ...(typeof schema.type === 'string' ? typed([schema.type], schema.nullable === true ? 'Merge' : variant) : {}),
      ...(FORMATS.has(schema.format) ? { format: schema.format } : {}),
      ...enumOf(schema, variant),
      ...members(schema, variant),
      ...items(schema, variant),
    }
  }

  const members = (schema: JsonSchema, variant: Variant): JsonSchema => {
    const { properties, additionalProperties } = schema
    if (isObject(additionalProperties)) return { additionalProperties: convert(additionalProperties, variant) }
    if (!isObject(properties)) return {}
    const isOpen = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true
    return {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, convert(value, variant)])),
      ...(variant === 'full' && Array.isArray(schema.required) ? { required: schema.required } : {}),
      ...(isOpen ? {} : { additionalProperties: false }),
    }
  }

  const items = (schema: JsonSchema, variant: Variant): JsonSchema => {
    if (!isObject(schema.items)) return {}
    const names = listOr(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string')
    if (names.length === 0) return { items: convert(schema.items, 'full') }
    const uniqueBy = names.map((key) => listKey(schemas, schema.items, key))
    if (variant !== 'Strategic') return { items: convert(schema.items, 'full'), uniqueBy }
    const required = uniqueBy.filter(({ fallback }) => fallback === undefined).map(({ key }) => key)
    const item = convert(schema.items, variant)
    const known = objectOr(item.properties) // none where it is a reference
    const keyed = Object.fromEntries(required.map((key) => [key, { ...objectOr(member(known, key)), present: 'key' }]))
    return { items: { ...item, present: 'item', required, properties: { ...known, ...keyed } }, uniqueBy }
  }

  return convert
}

/** The name that `schema` refers to: plainly, or by the `allOf` of one that gives a reference a description. */
export function referenced(schema: unknown): string | undefined {
  const [only, ...others] = listOr(member(schema, 'allOf'))
  const ref = member(schema, '$ref') ?? (others.length === 0 ? member(only, '$ref') : undefined)
  return typeof ref === 'string' && ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : undefined
}

const isIntOrString = (schema: JsonSchema): boolean =>
  schema.format === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true

const typed = (types: readonly string[], variant: Variant): JsonSchema => ({
  type: variant === 'full' ? types : [...types, 'null'],
})

function enumOf(schema: JsonSchema, variant: Variant): JsonSchema {
  if (!Array.isArray(schema.enum)) return {}
  return { enum: variant === 'full' ? schema.enum : [...schema.enum, null] }
}

function listKey(schemas: Schemas, items: unknown, key: string): ListKey {
  const name = referenced(items)
  const item = name === undefined ? items : member(schemas, name)
  const fallback = member(member(member(item, 'properties'), key), 'default')
  // every key has its zero value for a default in the API server's own schemas, required or not; one is rarely meant
  const isRequired = listOr(member(item, 'required')).includes(key)
  return typeof fallback === 'string' && fallback !== '' && !isRequired ? { key, fallback } : { key }
}
