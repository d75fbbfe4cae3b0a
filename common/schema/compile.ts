import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { inDocumentOrder } from '../json/document-order.ts'
import { isObject, type JsonObject, listOr, member } from '../json/json.ts'
import { type BanLookup, createBanLookup, type OverrideBan } from '../override/rules.ts'
import { findDuplicates, type ListKey, NO_SHAPE, type Shape, unionsOf } from '../override/shape.ts'
import type { SpecError, SpecSchema } from '../override/spec-schema.ts'
import { describeKeys } from '../override/unmergeable.ts'
import { fieldLocations } from './field-locations.ts'
import { isQuantity, specErrors } from './messages.ts'
import { metadataErrors } from './metadata.ts'
import { type Definitions, type JsonSchema, resolved, type Schemas, transform, type Variant } from './transform.ts'

/**
 * Compiles `root`, a schema of `schemas`. Takes some 300 ms for a workload, so it must not run inside a request.
 * @throws Error if `schemas` contain something that ajv cannot compile.
 */
export function compileSchema(hash: string, schemas: Schemas, root: unknown, options: CompileOptions = {}): SpecSchema {
  const { bans = [], compiles = 'now' } = options
  const definitions = transform(schemas, root)
  const checker = checkers(definitions, createBanLookup(bans), compiles)
  const checks = { Merge: checker('Merge', OVERRIDE), Strategic: checker('Strategic', OVERRIDE) }
  const checkFull = checker('full', WHOLE)
  return {
    hash,
    shape: shapeOf(definitions),
    check: (overrideSpec, type) => checks[type](overrideSpec),
    checkWhole: (spec) => inDocumentOrder(WHOLE, spec, [...checkFull(spec), ...metadataErrors(WHOLE, spec)]),
  }
}

/**
 * When the checks are compiled. `whenUsed`: each definition when a value first needs it, in a few milliseconds. A
 * document uses few of them, so all its definitions take a third of the time, and no pass is long. A schema that is not
 * valid is found at once in both cases.
 */
export type Compiles = 'now' | 'whenUsed'

interface CompileOptions {
  /** fields that messages must not suggest */
  readonly bans?: readonly OverrideBan[] | undefined
  /** default: now */
  readonly compiles?: Compiles | undefined
}

/** The path of what is checked. */
const OVERRIDE = 'spec.overrideSpec'
const WHOLE = 'spec'

type Check = (spec: JsonObject) => readonly SpecError[]
/** Where a value is in the document that is checked. */
type Place = Parameters<ValidateFunction>[1]

/**
 * Checks whether schemas are valid. It is shared, because each instance of ajv compiles the schema of schemas anew, and
 * for three kinds that is an eighth of the processor time of a start.
 */
const META = new Ajv({ strict: false, logger: false })

/** Creates checks that share their definitions, so that each definition is compiled once. */
function checkers(
  definitions: Definitions,
  banOf: BanLookup,
  compiles: Compiles,
): (variant: Variant, root: string) => Check {
  // verbose, because our messages need the value and the known fields; ajv's own are not used, and take memory
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    messages: false,
    logger: false,
    code: { optimize: false },
    meta: false,
    validateSchema: false, // `META` does
  })
  addFormats.default(ajv, ['int32', 'int64', 'date-time', 'byte'])
  const quantity = (_on: boolean, text: string) => isQuantity(text)
  ajv.addKeyword({ keyword: 'quantity', type: 'string', validate: quantity, errors: false })
  ajv.addKeyword({ keyword: 'present', validate: (_of: unknown, value: unknown) => value !== null, errors: false })
  ajv.addKeyword({ keyword: 'uniqueBy', type: 'array', schemaType: 'array', validate: uniqueBy, errors: true })
  const compiled = (name: string) => ajv.compile(member(definitions, name) as JsonSchema) // at the first call for a name
  let found: ErrorObject[] = []
  const validated = (validate: ValidateFunction, value: unknown, place?: Place) => {
    if (!validate(value, place)) for (const error of validate.errors ?? []) found.push(error)
    return true
  }
  ajv.addKeyword({
    keyword: 'definition',
    schemaType: 'string',
    errors: false, // they are in `found`, because ajv would put the value here in the place of theirs
    valid: true,
    compile(name: string) {
      let validate: ValidateFunction | undefined
      return (data: unknown, place: Place) => {
        validate ??= compiled(name)
        return validated(validate, data, place)
      }
    },
  })
  void META.validateSchema({ definitions }, true) // throws at once; only a schema that is asynchronous gives a promise
  if (compiles === 'now') for (const name of Object.keys(definitions)) compiled(name)
  const locations = fieldLocations(definitions, banOf)
  return (variant, root) => (document) => {
    found = []
    validated(compiled(variant), document)
    const errors = found.filter((error) => !isTakenAsAbsent(error))
    return inDocumentOrder(root, document, specErrors(errors, { root, document, locations, banOf }))
  }
}

/**
 * Whether an error is about null in the place of a list or an object in an item of a list, such as `env:` without a
 * value. Merging leaves it out. Of a scalar it is an error, because an author who writes `image: null` wants something.
 */
const isTakenAsAbsent = ({ keyword, data, params, instancePath }: ErrorObject): boolean =>
  keyword === 'type' &&
  data === null &&
  [params.type].flat().some((type) => type === 'array' || type === 'object') &&
  !/\/\d+$/.test(instancePath)

/** No two items have the same `keys`. Items without a key are reported by other keywords. */
const uniqueBy: SchemaValidateFunction = (keys: readonly ListKey[], items: readonly unknown[]): boolean => {
  const only = keys.length === 1 ? { only: keys[0]?.key } : {}
  const errors = findDuplicates(items, keys).map((found) => ({
    keyword: 'uniqueBy',
    params: { ...found, keys: describeKeys(items[found.index], keys), ...only },
  }))
  uniqueBy.errors = errors
  return errors.length === 0
}

/** The shape of `definitions`. Each part is computed when it is asked for, and once. */
export function shapeOf(definitions: Definitions): Shape {
  const known = new Map<unknown, Shape>()
  const at = (place: unknown): Shape => {
    const found = known.get(place)
    if (found) return found
    const node = resolved(definitions, place)
    const shape = isObject(node) ? (known.get(node) ?? shaped(node, at)) : NO_SHAPE
    known.set(node, shape).set(place, shape)
    return shape
  }
  return at(definitions.Strategic)
}

function shaped(node: JsonSchema, at: (place: unknown) => Shape): Shape {
  const fields = isObject(node.properties) ? Object.keys(node.properties) : []
  return {
    member: (key) => at(member(node.properties, key) ?? node.additionalProperties),
    items: () => at(node.items),
    keys: listOr(node.uniqueBy).filter(isListKey),
    unions: unionsOf(fields),
    form: formOf(node),
    fields,
  }
}

function formOf({ properties, additionalProperties, items, type }: JsonSchema): Shape['form'] {
  if (isObject(additionalProperties)) return 'map'
  if (isObject(properties)) return additionalProperties === false ? 'object' : 'any'
  if (isObject(items)) return 'list'
  const types = listOr(type)
  return types.length > 0 && types.every((each) => SCALARS.has(each)) ? 'scalar' : 'any'
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'null'])

const isListKey = (key: unknown): key is ListKey => typeof member(key, 'key') === 'string'
