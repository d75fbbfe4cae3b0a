import type { ErrorObject } from 'ajv'
import { type Path, showValue } from '../json/field-path.ts'
import { isObject, objectOr } from '../json/json.ts'
import type { BanLookup } from '../override/rules.ts'

/** The maximum number of fields or values in a message. */
export const MAX_LISTED = 8

/** The fields of the schema where ajv found an error. */
export const fieldNamesOf = (error: ErrorObject): readonly string[] =>
  Object.keys(objectOr(error.parentSchema?.properties))

/** Lists the first fields that are valid at `path`, where ajv found an error. */
export function validFields(error: ErrorObject, path: Path, banOf: BanLookup): string {
  const known = fieldNamesOf(error).filter((key) => banOf([...path, key]) === undefined)
  const more = known.length > MAX_LISTED ? ', ...' : ''
  return `valid fields: ${known.slice(0, MAX_LISTED).join(', ')}${more}`
}

/** YAML calls arrays lists. */
const WORDS: Readonly<Record<string, string>> = { array: 'list' }

/** Describes a value of the wrong type, and how to write it. */
export function wrongType(error: ErrorObject, path: Path, banOf: BanLookup): string {
  const types = [error.params.type].flat()
  const expected = types
    .filter((type) => type !== 'null')
    .map((type) => WORDS[String(type)] ?? String(type))
    .join(' or ')
  if (error.data === null)
    return path.some((step) => typeof step === 'number')
      ? `expected ${expected}, got null; null is not allowed inside a list, remove this`
      : `expected ${expected}, got null`
  return `expected ${expected}, got ${describe(error.data)}${remedy(types, error, () => validFields(error, path, banOf))}`
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  return `${typeof value} ${showValue(value)}`
}

type Remedy = (types: readonly unknown[], error: ErrorObject, known: () => string) => string | undefined

/** Remedies in YAML. The first that applies is used. */
const REMEDIES: readonly Remedy[] = [
  // two common errors: YAML reads some unquoted texts as numbers or booleans, and quoted numbers as texts
  (types, { data }) =>
    types.length <= 2 && types[0] === 'string' && (typeof data === 'number' || typeof data === 'boolean')
      ? 'put it in quotes' // a second type is null
      : undefined,
  (types, { data }) =>
    types.includes('integer') && typeof data === 'string' && /^-?\d{1,15}$/.test(data)
      ? 'remove the quotes'
      : undefined,
  (types, { data }) =>
    types.includes('boolean') && (data === 'true' || data === 'false') ? 'remove the quotes' : undefined,
  (types, { data }) => {
    const [, seconds] = (types.includes('integer') && typeof data === 'string' && /^(\d{1,9})s$/.exec(data)) || []
    return seconds === undefined ? undefined : `use ${seconds}`
  },
  (types) => (types[0] === 'array' ? 'start each item with "- "' : undefined),
  (types, error, known) =>
    types[0] === 'object' && fieldNamesOf(error).length > 0 && !isObject(error.data) ? known() : undefined,
  (types, { data }) =>
    types[0] !== 'object' && Array.isArray(data) && data.length === 1 ? 'remove the brackets or the "- "' : undefined,
]

function remedy(...of: Parameters<Remedy>): string {
  const text = REMEDIES.values()
    .map((rule) => rule(...of))
    .find((found) => found !== undefined)
  return text === undefined ? '' : `; ${text}`
}
