import { isObject, listOr, member } from '../api/object.ts'

/** A schema as ajv takes it. Plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of an OpenAPI document, by name. */
export type Schemas = Readonly<Record<string, unknown>>

/**
 * `partial`: what an override may say along object paths, where everything can be left out and null removes. `full`:
 * an item of a list, which replaces and so must be complete.
 */
type Variant = 'partial' | 'full'

/** What ajv is told of a keyed list: no two items may agree in all keys. A key left out counts as its default. */
export interface ListKey {
  readonly key: string
  readonly fallback?: string
}

const REF_PREFIX = '#/components/schemas/'
const QUANTITY = /\.api\.resource\.Quantity$/
const FORMATS: ReadonlySet<unknown> = new Set(['int32', 'int64', 'date-time', 'byte'])

/**
 * Taken over as they are. A whitelist, so that what is new in a later API server is left to it. Not `pattern`: Go
 * matches in linear time, JavaScript does not.
 */
const KEPT = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

/**
 * The JSON Schema of a partial `root`, from `schemas` of an OpenAPI v3 document. What it refers to is under
 * `definitions`, in the variants that are needed.
 */
export function transform(schemas: Schemas, root: unknown): JsonSchema {
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
  const converted = convert(root, 'partial')
  for (const { id, name, variant } of wanted) definitions[id] = convert(schemas[name], variant) // grows as it goes
  return { ...converted, definitions }
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
      ...Object.fromEntries(KEPT.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : []))),
      ...(typeof schema.type === 'string' ? typed([schema.type], schema.nullable === true ? 'partial' : variant) : {}),
      ...(FORMATS.has(schema.format) ? { format: schema.format } : {}),
      ...enumOf(schema, variant),
      ...members(schema, variant),
      ...items(schema),
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

  const items = (schema: JsonSchema): JsonSchema => {
    if (!isObject(schema.items)) return {}
    const keys = listOr(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string')
    return {
      items: convert(schema.items, 'full'),
      ...(keys.length > 0 ? { uniqueBy: keys.map((key) => listKey(schemas, schema.items, key)) } : {}),
    }
  }

  return convert
}

/** The name that `schema` refers to: plainly, or by the `allOf` of one that gives a reference a description. */
function referenced(schema: unknown): string | undefined {
  const [only, ...others] = listOr(member(schema, 'allOf'))
  const ref = member(schema, '$ref') ?? (others.length === 0 ? member(only, '$ref') : undefined)
  return typeof ref === 'string' && ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : undefined
}

const isIntOrString = (schema: JsonSchema): boolean =>
  schema.format === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true

const typed = (types: readonly string[], variant: Variant): JsonSchema => ({
  type: variant === 'partial' ? [...types, 'null'] : types,
})

function enumOf(schema: JsonSchema, variant: Variant): JsonSchema {
  if (!Array.isArray(schema.enum)) return {}
  return { enum: variant === 'partial' ? [...schema.enum, null] : schema.enum }
}

function listKey(schemas: Schemas, items: unknown, key: string): ListKey {
  const name = referenced(items)
  const item = name === undefined ? items : schemas[name]
  const fallback = member(member(member(item, 'properties'), key), 'default')
  // a required key has "" for its default in the API server's own schemas; it is reported as missing
  const isRequired = listOr(member(item, 'required')).includes(key)
  return typeof fallback === 'string' && !isRequired ? { key, fallback } : { key }
}
