import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { sha256Of } from '../json/canonical.ts'
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

/** A schema to compile: `root`, which may refer to any of `schemas`. */
interface Uncompiled {
  readonly hash: string
  readonly schemas: Schemas
  readonly root: unknown
  /** fields that messages must not suggest */
  readonly bans?: readonly OverrideBan[] | undefined
}

/**
 * Returns a function that compiles a schema, in up to 300 ms for a workload, so it must not run inside a request. It
 * throws an Error if `schemas` contain something that ajv cannot compile. The schemas that one such function compiles
 * share what they have in common, such as the pod template of Kubernetes: all kinds then take a third of the time, and
 * half of the memory. What is shared stays in memory as long as one of them does.
 */
export function schemaCompiler(compiles: Compiles = 'now'): (schema: Uncompiled) => SpecSchema {
  const intern = interning()
  const checkers = createCheckers(compiles)
  return ({ hash, schemas, root, bans = [] }) => {
    const definitions = intern(transform(schemas, root))
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
}

/**
 * When the checks are compiled. `whenUsed`: each definition when a value first needs it, in a few milliseconds. A
 * document uses few of them, so all its definitions take a third of the time, and no pass is long. A schema that is not
 * valid is found at once in both cases.
 */
export type Compiles = 'now' | 'whenUsed'

/** Returns a function that replaces definitions by equal ones that it had before. */
function interning(): (definitions: Definitions) => Definitions {
  const known = new Map<string, JsonSchema>()
  const interned = (definition: JsonSchema): JsonSchema => {
    const hash = sha256Of(definition, 64)
    const found = known.get(hash) ?? definition
    known.set(hash, found)
    return found
  }
  return ({ Merge, Strategic, full, ...others }) => ({
    ...Object.fromEntries(Object.entries(others).map(([name, definition]) => [name, interned(definition)])),
    Merge: interned(Merge),
    Strategic: interned(Strategic),
    full: interned(full),
  })
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

/**
 * One schema. Kinds share validators, and one name may stand for different definitions in two of them. So a validator
 * looks names up in the schema that is being checked.
 */
interface Scope {
  readonly definitions: Definitions
  /** those that were needed, by the name of the definition */
  readonly validators: Map<string, ValidateFunction>
}

/** One check. ajv hands it on to validators as their `this`. */
interface Checking extends Scope {
  readonly found: ErrorObject[]
}

/** Returns a function that creates the checks of a schema. Definitions that are one object are compiled once. */
function createCheckers(compiles: Compiles) {
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
    passContext: true,
  })
  addFormats.default(ajv, ['int32', 'int64', 'date-time', 'byte'])
  const quantity = (_on: boolean, text: string) => isQuantity(text)
  ajv.addKeyword({ keyword: 'quantity', type: 'string', validate: quantity, errors: false })
  ajv.addKeyword({ keyword: 'present', validate: (_of: unknown, value: unknown) => value !== null, errors: false })
  ajv.addKeyword({ keyword: 'uniqueBy', type: 'array', schemaType: 'array', validate: uniqueBy, errors: true })
  const compiled = ({ definitions, validators }: Scope, name: string): ValidateFunction => {
    const known = validators.get(name) ?? ajv.compile(member(definitions, name) as JsonSchema)
    validators.set(name, known)
    return known
  }
  function validate(this: Checking, name: string, value: unknown, place?: Place): true {
    const validator = compiled(this, name)
    if (!validator.call(this, value, place)) for (const error of validator.errors ?? []) this.found.push(error)
    return true
  }
  ajv.addKeyword({
    keyword: 'definition',
    schemaType: 'string',
    errors: false, // they are in `found`, because ajv would put the value here in the place of theirs
    valid: true,
    compile: (name: string) =>
      function (this: Checking, value: unknown, place: Place) {
        return validate.call(this, name, value, place)
      },
  })
  return (definitions: Definitions, banOf: BanLookup) => {
    const scope: Scope = { definitions, validators: new Map() }
    void META.validateSchema({ definitions }, true) // throws at once; only a schema that is asynchronous gives a promise
    if (compiles === 'now') for (const name of Object.keys(definitions)) compiled(scope, name)
    const locations = fieldLocations(definitions, banOf)
    return (variant: Variant, root: string): Check =>
      (document) => {
        const checking: Checking = { ...scope, found: [] }
        validate.call(checking, variant, document)
        const errors = checking.found.filter((error) => !isTakenAsAbsent(error))
        return inDocumentOrder(root, document, specErrors(errors, { root, document, locations, banOf }))
      }
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
    defaultOf: (key) => member(member(node.properties, key), 'default'),
    isQuantity: node.quantity === true,
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
