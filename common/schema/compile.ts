import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { inDocumentOrder } from '../api/document-order.ts'
import { showValue } from '../api/field-path.ts'
import { member } from '../api/object.ts'
import type { SpecSchema } from '../workload/kind.ts'
import { fieldErrors } from './messages.ts'
import { placesOf } from './places.ts'
import { isQuantity } from './quantity.ts'
import type { JsonSchema, ListKey } from './transform.ts'

/**
 * A check by `schema`, which `transform` made. Takes 60 to 220 ms for a workload's: never inside a request.
 * @throws Error if `schema` is none that ajv can compile.
 */
export function compile(hash: string, schema: JsonSchema): SpecSchema {
  // verbose: messages need the value, and the fields known there
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true, logger: false, code: { optimize: false } })
  addFormats.default(ajv, ['int32', 'int64', 'date-time', 'byte'])
  ajv.addKeyword({
    keyword: 'quantity',
    type: 'string',
    validate: (_on: boolean, text: string) => isQuantity(text),
    errors: false,
  })
  ajv.addKeyword({ keyword: 'uniqueBy', type: 'array', schemaType: 'array', validate: uniqueBy, errors: true })
  const validate = ajv.compile(schema)
  const places = placesOf(schema)
  return {
    hash,
    check: (overrideSpec) => {
      validate(overrideSpec)
      const errors = fieldErrors(validate.errors ?? [], overrideSpec, places)
      return inDocumentOrder('spec.overrideSpec', overrideSpec, errors)
    },
  }
}

/** No two items agree in all `keys`. Items that lack one are somebody else's finding. */
const uniqueBy: SchemaValidateFunction = (keys: readonly ListKey[], items: readonly unknown[]): boolean => {
  const first = new Map<string, number>()
  const errors: Partial<ErrorObject>[] = []
  items.forEach((item, index) => {
    const values = keys.map(({ key, fallback }) => member(item, key) ?? fallback)
    if (values.some((value) => value === undefined || typeof value === 'object')) return
    const id = JSON.stringify(values)
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, index)
    else errors.push({ keyword: 'uniqueBy', params: duplicate({ keys, values, index, first: earlier }) })
  })
  uniqueBy.errors = errors
  return errors.length === 0
}

interface Duplicate {
  readonly keys: readonly ListKey[]
  readonly values: readonly unknown[]
  readonly index: number
  readonly first: number
}

function duplicate({ keys, values, index, first }: Duplicate): Record<string, unknown> {
  const pairs = keys.map(({ key }, at) => `${key} ${showValue(values[at])}`).join(', ')
  return { index, first, keys: pairs, ...(keys.length === 1 ? { only: keys[0]?.key } : {}) }
}
