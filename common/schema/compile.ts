import { Ajv, type SchemaValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { inDocumentOrder } from '../json/document-order.ts'
import type { JsonObject } from '../json/json.ts'
import { type Duplicate, findDuplicates } from '../override/duplicates.ts'
import type { OverrideBan } from '../override/rules.ts'
import { type BanLookup, createBanLookup } from '../override/rules.ts'
import type { ListKey } from '../override/shape.ts'
import type { SpecError, SpecSchema } from '../override/spec-schema.ts'
import { describeKeys } from '../override/unmergeable.ts'
import { fieldLocations } from './field-locations.ts'
import { specErrors } from './messages.ts'
import { metadataErrors } from './metadata.ts'
import { isQuantity } from './quantity.ts'
import { shapeOf } from './shape.ts'
import { type Definitions, type Schemas, transform, type Variant } from './transform.ts'

/**
 * Compiles `root`, a schema of `schemas`: checks of overrides and of whole specs, and the shape. Takes some 200 ms for
 * a workload, so it must not run inside a request.
 * @throws Error if `schemas` contain something that ajv cannot compile.
 */
export function compile(hash: string, schemas: Schemas, root: unknown, { bans = [] }: Banning = {}): SpecSchema {
  const definitions = transform(schemas, root)
  const checker = checkers(definitions, createBanLookup(bans))
  const checks = { Merge: checker('Merge', OVERRIDE), Strategic: checker('Strategic', OVERRIDE) }
  const checkFull = checker('full', WHOLE)
  return {
    hash,
    shape: shapeOf(definitions),
    check: (overrideSpec, type) => checks[type](overrideSpec),
    checkWhole: (spec) => inDocumentOrder(WHOLE, spec, [...checkFull(spec), ...metadataErrors(WHOLE, spec)]),
  }
}

/** Fields that messages must not suggest. */
interface Banning {
  readonly bans?: readonly OverrideBan[] | undefined
}

/** The path of what is checked. */
const OVERRIDE = 'spec.overrideSpec'
const WHOLE = 'spec'

type Check = (spec: JsonObject) => readonly SpecError[]

/** Creates checks that share their definitions, so that each definition is compiled once. */
function checkers(definitions: Definitions, banOf: BanLookup): (variant: Variant, root: string) => Check {
  // verbose, because messages need the value and the known fields
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
    const locations = fieldLocations(definitions, variant, banOf)
    return (document) => {
      validate(document)
      return inDocumentOrder(root, document, specErrors(validate.errors ?? [], { root, document, locations, banOf }))
    }
  }
}

/** No two items have the same `keys`. Items without a key are reported by other keywords. */
const uniqueBy: SchemaValidateFunction = (keys: readonly ListKey[], items: readonly unknown[]): boolean => {
  const errors = findDuplicates(items, keys).map((found) => ({
    keyword: 'uniqueBy',
    params: duplicate(items[found.index], keys, found),
  }))
  uniqueBy.errors = errors
  return errors.length === 0
}

const duplicate = (
  item: unknown,
  keys: readonly ListKey[],
  { index, earlier }: Duplicate,
): Record<string, unknown> => ({
  index,
  earlier,
  keys: describeKeys(item, keys),
  ...(keys.length === 1 ? { only: keys[0]?.key } : {}),
})
