import { Ajv, type SchemaValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { inDocumentOrder } from '../api/document-order.ts'
import type { JsonObject } from '../api/object.ts'
import { type Refusal, refusalBy } from '../api/rules.ts'
import type { OverrideBan, SpecError, SpecSchema } from '../workload/kind.ts'
import { type Repetition, repetitions } from '../workload/repetitions.ts'
import type { ListKey } from '../workload/shape.ts'
import { describe } from '../workload/unmergeable.ts'
import { specErrors } from './messages.ts'
import { metadataErrors } from './metadata.ts'
import { placesOf } from './places.ts'
import { isQuantity } from './quantity.ts'
import { shapeOf } from './shape.ts'
import { type Definitions, type Schemas, transform, type Variant } from './transform.ts'

/**
 * What `root`, a schema of `schemas`, says about overrides and about whole specs: a check for each, and the shape. Takes
 * some 200 ms for a workload's: never inside a request.
 * @throws Error if `schemas` hold something that ajv cannot compile.
 */
export function compile(hash: string, schemas: Schemas, root: unknown, { bans = [] }: Banning = {}): SpecSchema {
  const definitions = transform(schemas, root)
  const checker = checkers(definitions, refusalBy(bans))
  const checks = { Merge: checker('Merge', OVERRIDE), Strategic: checker('Strategic', OVERRIDE) }
  const checkFull = checker('full', WHOLE)
  return {
    hash,
    shape: shapeOf(definitions),
    check: (overrideSpec, type) => checks[type](overrideSpec),
    checkWhole: (spec) => inDocumentOrder(WHOLE, spec, [...checkFull(spec), ...metadataErrors(WHOLE, spec)]),
  }
}

/** What the messages of a schema are to suggest to nobody. */
interface Banning {
  readonly bans?: readonly OverrideBan[] | undefined
}

/** Where what is judged has its place. */
const OVERRIDE = 'spec.overrideSpec'
const WHOLE = 'spec'

type Check = (spec: JsonObject) => readonly SpecError[]

/** Checks that share what they have in common: each definition is compiled once. */
function checkers(definitions: Definitions, refusal: Refusal): (variant: Variant, root: string) => Check {
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
  ajv.addSchema({ definitions }, 'all')
  return (variant, root) => {
    const validate = ajv.getSchema(`all#/definitions/${variant}`)
    if (!validate) throw new Error(`no schema of ${variant}`)
    const places = placesOf(definitions, variant, refusal)
    return (document) => {
      validate(document)
      return inDocumentOrder(root, document, specErrors(validate.errors ?? [], { root, document, places, refusal }))
    }
  }
}

/** No two items agree in all `keys`. Items that lack one are somebody else's finding. */
const uniqueBy: SchemaValidateFunction = (keys: readonly ListKey[], items: readonly unknown[]): boolean => {
  const errors = repetitions(items, keys).map((found) => ({
    keyword: 'uniqueBy',
    params: duplicate(items[found.index], keys, found),
  }))
  uniqueBy.errors = errors
  return errors.length === 0
}

const duplicate = (
  item: unknown,
  keys: readonly ListKey[],
  { index, earlier }: Repetition,
): Record<string, unknown> => ({
  index,
  earlier,
  keys: describe(item, keys),
  ...(keys.length === 1 ? { only: keys[0]?.key } : {}),
})
