import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { inDocumentOrder } from '../api/document-order.ts'
import type { JsonObject } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { SpecSchema } from '../workload/kind.ts'
import { identityOf, type ListKey } from '../workload/shape.ts'
import { describe } from '../workload/unmergeable.ts'
import { fieldErrors } from './messages.ts'
import { placesOf } from './places.ts'
import { isQuantity } from './quantity.ts'
import { shapeOf } from './shape.ts'
import { type JsonSchema, type Schemas, transform } from './transform.ts'

/**
 * What `root`, a schema of `schemas`, says about overrides: a check for each type, and the shape. Takes some 200 ms for
 * a workload's: never inside a request.
 * @throws Error if `schemas` hold something that ajv cannot compile.
 */
export function compile(hash: string, schemas: Schemas, root: unknown): SpecSchema {
  const strategic = transform(schemas, root, 'Strategic')
  const checks = { Merge: checker(transform(schemas, root, 'Merge')), Strategic: checker(strategic) }
  return { hash, shape: shapeOf(strategic), check: (overrideSpec, type) => checks[type](overrideSpec) }
}

function checker(schema: JsonSchema): (overrideSpec: JsonObject) => readonly FieldError[] {
  // verbose: messages need the value, and the fields known there
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, logger: false, code: { optimize: false } })
  addFormats.default(ajv, ['int32', 'int64', 'date-time', 'byte'])
  ajv.addKeyword({
    keyword: 'quantity',
    type: 'string',
    validate: (_on: boolean, text: string) => isQuantity(text),
    errors: false,
  })
  ajv.addKeyword({ keyword: 'present', validate: (_of: unknown, value: unknown) => value !== null, errors: false })
  ajv.addKeyword({ keyword: 'uniqueBy', type: 'array', schemaType: 'array', validate: uniqueBy, errors: true })
  const validate = ajv.compile(schema)
  const places = placesOf(schema)
  return (overrideSpec) => {
    validate(overrideSpec)
    const errors = fieldErrors(validate.errors ?? [], overrideSpec, places)
    return inDocumentOrder('spec.overrideSpec', overrideSpec, errors)
  }
}

/** No two items agree in all `keys`. Items that lack one are somebody else's finding. */
const uniqueBy: SchemaValidateFunction = (keys: readonly ListKey[], items: readonly unknown[]): boolean => {
  const first = new Map<string, number>()
  const errors: Partial<ErrorObject>[] = []
  items.forEach((item, index) => {
    const id = identityOf(item, keys)
    if (id === undefined) return
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, index)
    else errors.push({ keyword: 'uniqueBy', params: duplicate(item, { keys, index, first: earlier }) })
  })
  uniqueBy.errors = errors
  return errors.length === 0
}

interface Place {
  readonly keys: readonly ListKey[]
  readonly index: number
  readonly first: number
}

const duplicate = (item: unknown, { keys, index, first }: Place): Record<string, unknown> => ({
  index,
  first,
  keys: describe(item, keys),
  ...(keys.length === 1 ? { only: keys[0]?.key } : {}),
})
