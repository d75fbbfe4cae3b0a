import type { ErrorObject } from 'ajv'
import { type Path, showValue } from '../api/field-path.ts'
import { isObject, objectOr } from '../api/object.ts'
import type { Refusal } from '../api/rules.ts'

/** How many known fields or values a message lists. */
export const MAX_LISTED = 8

/** The fields that the schema has where ajv found an error. */
export const knownFields = (error: ErrorObject): readonly string[] =>
  Object.keys(objectOr(error.parentSchema?.properties))

/** The first of the fields that can stand at `path`, where ajv found an error. */
export function knownHere(error: ErrorObject, path: Path, refusal: Refusal): string {
  const known = knownFields(error).filter((key) => refusal([...path, key]) === undefined)
  const more = known.length > MAX_LISTED ? ', ...' : ''
  return `known here: ${known.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** JSON's word for a list is foreign to who writes YAML. */
const WORDS: Readonly<Record<string, string>> = { array: 'list' }

/** What was expected in place of a value of another type, and how to write it. */
export function wrongType(error: ErrorObject, path: Path, refusal: Refusal): string {
  const types = [error.params.type].flat()
  const expected = types
    .filter((type) => type !== 'null')
    .map((type) => WORDS[String(type)] ?? String(type))
    .join(' or ')
  if (error.data === null)
    return path.some((step) => typeof step === 'number')
      ? `expected ${expected}, got null; inside a list null removes nothing, leave this out`
      : `expected ${expected}, got null`
  return `expected ${expected}, got ${describe(error.data)}${remedy(types, error, () => knownHere(error, path, refusal))}`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  return `${typeof value} ${showValue(value)}`
}

type Remedy = (types: readonly unknown[], error: ErrorObject, known: () => string) => string | undefined

/** How to write in YAML what was meant; the first that fits. */
const REMEDIES: readonly Remedy[] = [
  // YAML makes numbers and booleans of bare words, and strings of quoted numbers: the two slips of the hand
  (types, { data }) =>
    types.length <= 2 && types[0] === 'string' && (typeof data === 'number' || typeof data === 'boolean')
      ? 'quote it' // the second type is null
      : undefined,
  (types, { data }) =>
    types.includes('integer') && typeof data === 'string' && /^-?\d{1,15}$/.test(data)
      ? 'remove the quotes'
      : undefined,
  (types, { data }) =>
    types.includes('boolean') && (data === 'true' || data === 'false') ? 'remove the quotes' : undefined,
  (types, { data }) => {
    const [, seconds] = (types.includes('integer') && typeof data === 'string' && /^(\d{1,9})s$/.exec(data)) || []
    return seconds === undefined ? undefined : `write ${seconds}`
  },
  (types) => (types[0] === 'array' ? 'each item begins with "- "' : undefined),
  (types, error, known) =>
    types[0] === 'object' && knownFields(error).length > 0 && !isObject(error.data) ? known() : undefined,
  (types, { data }) =>
    types[0] !== 'object' && Array.isArray(data) && data.length === 1 ? 'write its item alone' : undefined,
]

function remedy(...of: Parameters<Remedy>): string {
  for (const rule of REMEDIES) {
    const text = rule(...of)
    if (text !== undefined) return `; ${text}`
  }
  return ''
}
