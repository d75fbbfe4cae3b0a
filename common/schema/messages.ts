import type { ErrorObject } from 'ajv'
import { formatPath, type Path, showValue } from '../json/field-path.ts'
import { listOr, member } from '../json/json.ts'
import type { BanLookup } from '../override/rules.ts'
import type { SpecError } from '../override/spec-schema.ts'
import { NULL_ITEM } from '../override/unmergeable.ts'
import type { FieldLocations } from './field-locations.ts'
import { meantField, unknownField } from './unknown-field.ts'
import { MAX_LISTED, wrongType } from './wrong-type.ts'

/** A document that ajv has checked, and what messages about it need. */
interface ValidatedSpec {
  /** the path of `document` in the experiment or in the fork */
  readonly root: string
  readonly document: unknown
  readonly locations: FieldLocations
  /** finds fields that the schema knows but rules ban, so that messages do not suggest them */
  readonly banOf: BanLookup
}

/** Describes the errors of ajv for the author of a document. Expects `verbose` errors. */
export function specErrors(
  errors: readonly ErrorObject[],
  { root, document, ...about }: ValidatedSpec,
): readonly SpecError[] {
  const pathAt = memoized((pointer) => pathOfPointer(pointer, document)) // thousands of unknown fields may share one
  const found = errors.slice(0, MAX_FOUND).map((error) => ({ error, path: pathOf(error, pathAt) }))
  const misspelt = new Set(
    found.slice(0, MAX_EXPLAINED).flatMap(({ error, path }) => {
      const meant =
        error.keyword === 'additionalProperties' ? meantField(error, path.slice(0, -1), about.locations) : undefined
      return meant === undefined ? [] : [formatPath(root, [...path.slice(0, -1), meant])]
    }),
  )
  const mistyped = new Set(
    found.flatMap(({ error, path }) => (error.keyword === 'type' ? [formatPath(root, path)] : [])),
  )
  return found
    .map(({ error, path }, index) => ({
      path,
      field: formatPath(root, path),
      ...(index < MAX_EXPLAINED ? explain(error, path, about) : invalid(UNEXPLAINED)),
    }))
    .filter(({ field, cause }, index) => {
      if (cause === 'FieldValueRequired') return !misspelt.has(field) // a misspelt required field is one error
      return found[index]?.error.keyword !== 'format' || !mistyped.has(field)
    })
}

/** The maximum number of errors returned. A hostile override has 5,000, and finding all their paths takes 50 ms. */
export const MAX_FOUND = 1_000
/** The maximum number of errors that are explained. Guessing what 1,000 misspelt fields mean would take 40 ms. */
const MAX_EXPLAINED = 200
const UNEXPLAINED = 'too many mistakes to explain them all; correct the others first'

/** For null as the key of an item. */
const NULL_KEY = 'identifies the item and cannot be null; set its value'

type Explanation = Pick<SpecError, 'message' | 'cause'>

const invalid = (message: string): Explanation => ({ message, cause: 'FieldValueInvalid' })

type About = Pick<ValidatedSpec, 'locations' | 'banOf'>

function explain(error: ErrorObject, path: Path, about: About): Explanation {
  switch (error.keyword) {
    case 'additionalProperties':
      return invalid(unknownField(error, path.slice(0, -1), about))
    case 'required':
      return { message: 'required', cause: 'FieldValueRequired' }
    case 'type':
      return { message: wrongType(error, path, about.banOf), cause: 'FieldValueTypeInvalid' }
    case 'present':
      return invalid(error.schema === 'item' ? NULL_ITEM : NULL_KEY)
    case 'enum':
      return { message: unsupported(error), cause: 'FieldValueNotSupported' }
    case 'uniqueBy':
      return {
        message: `duplicate of [${error.params.earlier}] (${error.params.keys}); remove one of them`,
        cause: 'FieldValueDuplicate',
      }
    case 'quantity':
      return invalid(noQuantity(String(error.data)))
    case 'format':
      return invalid(`expected ${FORMATS[error.params.format] ?? error.params.format}, got ${showValue(error.data)}`)
    default:
      return invalid(`${BOUNDS[error.keyword]?.(error.params.limit) ?? 'invalid'}, got ${showValue(error.data)}`)
  }
}

const counted = (limit: number, noun: string): string => `${limit} ${limit === 1 ? noun : `${noun}s`}`

/** The bounds of a value in words. */
const BOUNDS: Readonly<Record<string, (limit: number) => string>> = {
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  minLength: (limit) => `must have at least ${counted(limit, 'character')}`,
  maxLength: (limit) => `must have at most ${counted(limit, 'character')}`,
  minItems: (limit) => `must have at least ${counted(limit, 'item')}`,
  maxItems: (limit) => `must have at most ${counted(limit, 'item')}`,
}

/** Formats of the API server in words. */
const FORMATS: Readonly<Record<string, string>> = {
  int32: 'an integer from -2147483648 to 2147483647',
  'date-time': 'a time such as 2026-11-21T14:05:00Z',
  byte: 'base64 text',
}

function noQuantity(text: string): string {
  const meant = suggestQuantity(text)
  const remedy = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
  return `expected a quantity such as 500m or 1Gi, got ${showValue(text)}${remedy}`
}

function unsupported(error: ErrorObject): string {
  const allowed = listOr(error.params.allowedValues).filter((value) => value !== null)
  const more = allowed.length > MAX_LISTED ? ', ...' : ''
  return `unsupported value ${showValue(error.data)}; valid values: ${allowed.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** The path of an error. For a missing, unknown or duplicate member it is below the instance path of ajv. */
function pathOf(error: ErrorObject, pathAt: (pointer: string) => Path): Path {
  const path = pathAt(error.instancePath)
  const { missingProperty, additionalProperty, index, keys, only } = error.params
  if (error.keyword === 'required') return [...path, String(missingProperty)]
  if (error.keyword === 'additionalProperties') return [...path, String(additionalProperty)]
  if (error.keyword === 'uniqueBy' && keys !== undefined)
    return only === undefined ? [...path, Number(index)] : [...path, Number(index), String(only)]
  return path
}

function memoized<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

/** Parses a JSON pointer (RFC 6901). Only the document shows whether `0` is a key or an index. */
function pathOfPointer(pointer: string, document: unknown): Path {
  const path: (string | number)[] = []
  let value = document
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(key) : key)
    value = Array.isArray(value) ? value[Number(key)] : member(value, key)
  }
  return path
}

/** A sign, a number and one suffix. No two parts can match the same text, so matching takes linear time. */
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?$/

/**
 * Whether `text` is a quantity such as `500m`, `1.5Gi`, `2e3`, as apimachinery reads it: blanks around it do not count.
 */
export const isQuantity = (text: string): boolean => QUANTITY.test(text.trim())

/**
 * The quantity that was probably meant by `text`: without spaces and `B`, with digits for similar letters. Bytes are
 * counted in thousands and more, also where the letters have the wrong case: `m` would be thousandths.
 */
export function suggestQuantity(text: string): string | undefined {
  if (text.length > 60) return undefined // no typing error
  const plain = text.replaceAll(/\s/g, '').replaceAll('O', '0').replaceAll('l', '1')
  const meant = plain.replace(/([kmgtpe])(?:(i)b?|b)$/i, (_, unit: string, binary?: string) => suffix(unit, binary))
  const quantity = meant.replace(/b$/i, '')
  return quantity !== text && isQuantity(quantity) ? quantity : undefined
}

const suffix = (unit: string, binary: string | undefined): string =>
  binary === undefined ? unit.toUpperCase().replace('K', 'k') : `${unit.toUpperCase()}i`
