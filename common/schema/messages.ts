import type { ErrorObject } from 'ajv'
import { formatPath, type Path, showValue } from '../api/field-path.ts'
import { isObject, listOr, objectOr } from '../api/object.ts'
import type { FieldErrorCause } from '../api/types.ts'
import type { SpecError } from '../workload/kind.ts'
import { NULL_ITEM } from '../workload/unmergeable.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Places } from './places.ts'

/** How many known fields or values a message lists. */
const MAX_LISTED = 8

/** Known to the schema, and refused by the rules: to offer them would cost their author another round. */
const REFUSED: ReadonlySet<string> = new Set(['replicas', 'selector'])

/** What was judged. */
export interface Judged {
  /** the path of `document` in the user's, or in the fork */
  readonly root: string
  readonly document: unknown
  readonly places: Places
}

/** What ajv found in a document, in words for its author. Expects `verbose` errors. */
export function specErrors(errors: readonly ErrorObject[], { root, document, places }: Judged): readonly SpecError[] {
  const found = errors.map((error) => ({ error, path: pathOf(error, document) }))
  const misspelt = new Set(
    found.slice(0, MAX_TOLD).flatMap(({ error, path }) => {
      const meant = error.keyword === 'additionalProperties' ? suggestion(error) : undefined
      return meant === undefined ? [] : [formatPath(root, [...path.slice(0, -1), meant])]
    }),
  )
  return found
    .map(({ error, path }, index) => ({
      path,
      field: formatPath(root, path),
      ...(index < MAX_TOLD ? told(error, path, places) : UNTOLD),
    }))
    .filter(({ field, cause }) => cause !== 'FieldValueRequired' || !misspelt.has(field)) // one mistake, told once
}

/** Mistakes that get words of their own: a hostile override has 5,000, and to guess what each meant takes 200 ms. */
const MAX_TOLD = 200
const UNTOLD: Told = { message: 'one of very many mistakes; mend the others first', cause: 'FieldValueInvalid' }

/** Of a member by which items are told apart. */
const NULL_KEY = 'items are told apart by it, so null cannot remove it; give its value'

interface Told {
  readonly message: string
  readonly cause: FieldErrorCause
}

function told(error: ErrorObject, path: Path, places: Places): Told {
  switch (error.keyword) {
    case 'additionalProperties':
      return { message: unknownField(error, path.slice(0, -1), places), cause: 'FieldValueInvalid' }
    case 'required':
      return { message: 'required', cause: 'FieldValueRequired' }
    case 'type':
      return { message: wrongType(error, path), cause: 'FieldValueTypeInvalid' }
    case 'present':
      return { message: error.schema === 'item' ? NULL_ITEM : NULL_KEY, cause: 'FieldValueInvalid' }
    case 'enum':
      return { message: unsupported(error), cause: 'FieldValueNotSupported' }
    case 'uniqueBy':
      return { message: `duplicate of [${error.params.first}] (${error.params.keys})`, cause: 'FieldValueDuplicate' }
    case 'quantity':
      return {
        message: `expected a quantity such as 500m or 1Gi, got ${showValue(error.data)}`,
        cause: 'FieldValueInvalid',
      }
    case 'format':
      return { message: `expected ${error.params.format}, got ${showValue(error.data)}`, cause: 'FieldValueInvalid' }
    default: // bounds: "must be >= 0", in ajv's words
      return { message: `${error.message ?? 'invalid'}, got ${showValue(error.data)}`, cause: 'FieldValueInvalid' }
  }
}

const knownFields = (error: ErrorObject): readonly string[] => Object.keys(objectOr(error.parentSchema?.properties))

const suggestion = (error: ErrorObject): string | undefined =>
  didYouMean(String(error.params.additionalProperty), knownFields(error))

function unknownField(error: ErrorObject, parent: Path, places: Places): string {
  const place = places.get(String(error.params.additionalProperty))
  if (place?.startsWith(formatPath('', parent).slice(1))) return `unknown field; it belongs in ${place}`
  const meant = suggestion(error)
  if (meant !== undefined) return `unknown field; did you mean ${JSON.stringify(meant)}?`
  const known = knownFields(error).filter((key) => parent.length > 0 || !REFUSED.has(key))
  const more = known.length > MAX_LISTED ? ', ...' : ''
  return `unknown field; known here: ${known.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** JSON's word for a list is foreign to who writes YAML. */
const WORDS: Readonly<Record<string, string>> = { array: 'list' }

function wrongType(error: ErrorObject, path: Path): string {
  const types = [error.params.type].flat()
  const expected = types
    .filter((type) => type !== 'null')
    .map((type) => WORDS[String(type)] ?? String(type))
    .join(' or ')
  if (error.data === null)
    return path.some((step) => typeof step === 'number')
      ? `expected ${expected}, got null; inside a list null removes nothing, leave this out`
      : `expected ${expected}, got null`
  return `expected ${expected}, got ${describe(error.data)}${remedy(types, error.data)}`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  return `${typeof value} ${showValue(value)}`
}

/** YAML makes numbers and booleans of bare words, and strings of quoted numbers: the two slips of the hand. */
function remedy(types: readonly unknown[], value: unknown): string {
  const isBare = typeof value === 'number' || typeof value === 'boolean'
  if (types.length <= 2 && types[0] === 'string' && isBare) return '; quote it' // the second is null
  if (types.includes('integer') && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return '; remove the quotes'
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return '; remove the quotes'
  return ''
}

function unsupported(error: ErrorObject): string {
  const allowed = listOr(error.params.allowedValues).filter((value) => value !== null)
  const more = allowed.length > MAX_LISTED ? ', ...' : ''
  return `unsupported value ${showValue(error.data)}; one of: ${allowed.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** Where the mistake is: below what ajv judged for a member that is missing, unknown or there twice. */
function pathOf(error: ErrorObject, document: unknown): Path {
  const path = pathOfPointer(error.instancePath, document)
  const { missingProperty, additionalProperty, index, keys, only } = error.params
  if (error.keyword === 'required') return [...path, String(missingProperty)]
  if (error.keyword === 'additionalProperties') return [...path, String(additionalProperty)]
  if (error.keyword === 'uniqueBy' && keys !== undefined)
    return only === undefined ? [...path, Number(index)] : [...path, Number(index), String(only)]
  return path
}

/** RFC 6901, with list indices as numbers: only the document tells `0` the key from `0` the index. */
function pathOfPointer(pointer: string, document: unknown): Path {
  const path: (string | number)[] = []
  let value = document
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(key) : key)
    value = Array.isArray(value) ? value[Number(key)] : objectOr(value)[key]
  }
  return path
}
