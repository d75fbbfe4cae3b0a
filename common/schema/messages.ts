import type { ErrorObject } from 'ajv'
import { formatPath, type Path, showValue } from '../api/field-path.ts'
import { listOr, member } from '../api/object.ts'
import type { Refusal } from '../api/rules.ts'
import type { FieldErrorCause } from '../api/types.ts'
import type { SpecError } from '../workload/kind.ts'
import { NULL_ITEM } from '../workload/unmergeable.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Places } from './places.ts'
import { meantQuantity } from './quantity.ts'
import { knownFields, knownHere, MAX_LISTED, wrongType } from './wrong-type.ts'

/** What was judged. */
export interface Judged {
  /** the path of `document` in the user's, or in the fork */
  readonly root: string
  readonly document: unknown
  readonly places: Places
  /** known to the schema, and refused by the rules: to offer it would cost its author another round */
  readonly refusal: Refusal
}

/** What ajv found in a document, in words for its author. Expects `verbose` errors. */
export function specErrors(errors: readonly ErrorObject[], { root, document, ...about }: Judged): readonly SpecError[] {
  const pathAt = remembering((pointer) => pathOfPointer(pointer, document)) // of thousands of unknown fields one
  const found = errors.slice(0, MAX_FOUND).map((error) => ({ error, path: pathOf(error, pathAt) }))
  const misspelt = new Set(
    found.slice(0, MAX_TOLD).flatMap(({ error, path }) => {
      const meant = error.keyword === 'additionalProperties' ? suggestion(error) : undefined
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
      ...(index < MAX_TOLD ? told(error, path, about) : UNTOLD),
    }))
    .filter(({ field, cause }, index) => {
      if (cause === 'FieldValueRequired') return !misspelt.has(field) // one mistake, told once
      return found[index]?.error.keyword !== 'format' || !mistyped.has(field)
    })
}

/** Mistakes that are looked into: a hostile override has 5,000, and to find the way to each takes 50 ms. */
export const MAX_FOUND = 1_000
/** Mistakes that get words of their own: to guess what each of those meant would take 40 ms. */
const MAX_TOLD = 200
const UNTOLD: Told = { message: 'one of very many mistakes; mend the others first', cause: 'FieldValueInvalid' }

/** Of a member by which items are told apart. */
const NULL_KEY = 'items are told apart by it, so null cannot remove it; give its value'

interface Told {
  readonly message: string
  readonly cause: FieldErrorCause
}

type About = Pick<Judged, 'places' | 'refusal'>

function told(error: ErrorObject, path: Path, about: About): Told {
  switch (error.keyword) {
    case 'additionalProperties':
      return { message: unknownField(error, path.slice(0, -1), about), cause: 'FieldValueInvalid' }
    case 'required':
      return { message: 'required', cause: 'FieldValueRequired' }
    case 'type':
      return { message: wrongType(error, path, about.refusal), cause: 'FieldValueTypeInvalid' }
    case 'present':
      return { message: error.schema === 'item' ? NULL_ITEM : NULL_KEY, cause: 'FieldValueInvalid' }
    case 'enum':
      return { message: unsupported(error), cause: 'FieldValueNotSupported' }
    case 'uniqueBy':
      return { message: `duplicate of [${error.params.earlier}] (${error.params.keys})`, cause: 'FieldValueDuplicate' }
    case 'quantity':
      return { message: noQuantity(String(error.data)), cause: 'FieldValueInvalid' }
    case 'format':
      return {
        message: `expected ${FORMATS[error.params.format] ?? error.params.format}, got ${showValue(error.data)}`,
        cause: 'FieldValueInvalid',
      }
    default: // bounds: "must be >= 0", in ajv's words
      return { message: `${error.message ?? 'invalid'}, got ${showValue(error.data)}`, cause: 'FieldValueInvalid' }
  }
}

/** What the API server's names of formats mean. */
const FORMATS: Readonly<Record<string, string>> = {
  int32: 'int32, from -2147483648 to 2147483647',
  'date-time': 'date-time such as 2026-11-21T14:05:00Z',
  byte: 'base64',
}

function noQuantity(text: string): string {
  const meant = meantQuantity(text)
  const remedy = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
  return `expected a quantity such as 500m or 1Gi, got ${showValue(text)}${remedy}`
}

/** What is most like it, though it may be refused. */
const suggestion = (error: ErrorObject): string | undefined =>
  didYouMean(String(error.params.additionalProperty), knownFields(error))

function unknownField(error: ErrorObject, parent: Path, { places, refusal }: About): string {
  const place = placeOf(String(error.params.additionalProperty), parent, places)
  if (place !== undefined) return `unknown field; it belongs in ${place}`
  const meant = suggestion(error)
  if (meant === undefined) return `unknown field; ${knownHere(error, parent, refusal)}`
  const refused = refusal([...parent, meant])
  const name = JSON.stringify(meant)
  return refused === undefined
    ? `unknown field; did you mean ${name}?`
    : `unknown field; if ${name} is meant: ${refused}`
}

/** Where `key` belongs, if that is further down or up from `parent`: elsewhere it is another thing of that name. */
function placeOf(key: string, parent: Path, places: Places): string | undefined {
  const place = places.get(key)
  if (place === undefined) return undefined
  const here = parent.map((step) => (typeof step === 'number' ? '[]' : `.${step}`)).join('')
  const there = place === '' ? '' : `.${place}`
  return isWithin(there, here) || isWithin(here, there) ? place || 'overrideSpec itself' : undefined
}

const isWithin = (inner: string, outer: string): boolean =>
  inner.startsWith(outer) && /^(?:[.[]|$)/.test(inner.slice(outer.length))

function unsupported(error: ErrorObject): string {
  const allowed = listOr(error.params.allowedValues).filter((value) => value !== null)
  const more = allowed.length > MAX_LISTED ? ', ...' : ''
  return `unsupported value ${showValue(error.data)}; one of: ${allowed.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** Where the mistake is: below what ajv judged for a member that is missing, unknown or there twice. */
function pathOf(error: ErrorObject, pathAt: (pointer: string) => Path): Path {
  const path = pathAt(error.instancePath)
  const { missingProperty, additionalProperty, index, keys, only } = error.params
  if (error.keyword === 'required') return [...path, String(missingProperty)]
  if (error.keyword === 'additionalProperties') return [...path, String(additionalProperty)]
  if (error.keyword === 'uniqueBy' && keys !== undefined)
    return only === undefined ? [...path, Number(index)] : [...path, Number(index), String(only)]
  return path
}

function remembering<T>(tell: (of: string) => T): (of: string) => T {
  const told = new Map<string, T>()
  return (of) => {
    const value = told.get(of) ?? tell(of)
    told.set(of, value)
    return value
  }
}

/** RFC 6901, with list indices as numbers: only the document tells `0` the key from `0` the index. */
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
