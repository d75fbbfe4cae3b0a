import type { Json, JsonObject } from '../../common/json/json.ts'
import type { OptionalStructure, Structure } from '../../common/json/structure.ts'

/** A rule of a schema in CEL. `message` names the remedy. */
export interface Rule {
  readonly rule: string
  readonly message: string
  /** the member that the rule is about, such as `.address`; absent: the object itself */
  readonly fieldPath?: string
  /** absent: the value is wrong; else the member must not be there */
  readonly reason?: 'FieldValueForbidden'
}

/** What the schema of a structure says to people, and its rules: a description alone, or more. */
export type Note = string | NoteWithRules

interface NoteWithRules {
  readonly about: string
  readonly rules?: readonly Rule[]
  /** of an object: a note for each member; of a list: one for the members of its items */
  readonly members?: Readonly<Record<string, Note>>
  /** of a list: rules for each item */
  readonly itemRules?: readonly Rule[]
  /** of a list: the members by which an item is known; absent: the list is one value */
  readonly keys?: readonly string[]
  /**
   * of an object: whether server-side apply stores it as it is applied. Otherwise several managers can own parts of it,
   * and Kubernetes makes null of it when one of them applies {} in place of all that there is
   */
  readonly isAtomic?: boolean
  /** in place of what the structure says, for an object that other code checks */
  readonly schema?: JsonObject
}

interface SchemaOptions {
  /** whether the rules in CEL are left out: only the program writes such objects */
  readonly withoutRules?: boolean
}

/**
 * The schema of `structure` in a CRD. A text with a pattern has a rule instead of the pattern, because its message can
 * say what is expected. @throws Error that names a member without a note
 */
export function schemaOf(structure: Structure, note: Note, options: SchemaOptions = {}): JsonObject {
  const whole: NoteWithRules = typeof note === 'string' ? { about: note } : note
  const { about, rules = [], members, itemRules, keys, isAtomic, schema } = whole
  const described = about === '' ? {} : { description: about }
  if (schema) return { ...described, ...schema }
  const all = options.withoutRules ? [] : [...rules, ...ownRules(structure)]
  const ruled = all.length === 0 ? {} : { 'x-kubernetes-validations': all.map((rule) => ({ ...rule })) }
  const validations = isAtomic ? { 'x-kubernetes-map-type': 'atomic', ...ruled } : ruled
  switch (structure.is) {
    case 'object':
      return { ...described, ...objectSchema(structure.members, members ?? {}, validations, options) }
    case 'list': {
      const items = schemaOf(structure.items, { about: '', ...of({ members }), ...of({ rules: itemRules }) }, options)
      const kind = keys === undefined ? { 'x-kubernetes-list-type': 'atomic' } : mapOf(keys)
      const least = structure.min === 0 ? {} : { minItems: structure.min }
      return { ...described, type: 'array', ...least, maxItems: structure.max, ...kind, ...validations, items }
    }
    case 'map': {
      const additionalProperties = schemaOf(structure.values, '', options)
      return { ...described, type: 'object', maxProperties: structure.max, ...validations, additionalProperties }
    }
    default:
      return { ...described, ...scalarSchema(structure), ...validations }
  }
}

/** The members of `value` that are not undefined. */
const of = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as never

const mapOf = (keys: readonly string[]): JsonObject => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})

function objectSchema(
  members: Readonly<Record<string, Structure | OptionalStructure>>,
  notes: Readonly<Record<string, Note>>,
  validations: JsonObject,
  options: SchemaOptions,
): JsonObject {
  const required = Object.entries(members).flatMap(([key, { is }]) => (is === 'optional' ? [] : [key]))
  const properties = Object.entries(members).map(([key, member]) => {
    const note = notes[key]
    if (note === undefined) throw new Error(`the schema of ${key} has no description`)
    const schema = schemaOf(member.is === 'optional' ? member.of : member, note, options)
    const value = member.is === 'optional' ? member.value : undefined
    return [key, value === undefined ? schema : { ...schema, default: value }] as const
  })
  const needs: JsonObject = required.length === 0 ? {} : { required }
  return { type: 'object', ...needs, ...validations, properties: Object.fromEntries(properties) }
}

type Scalar = Exclude<Structure, { readonly is: 'object' | 'list' | 'map' }>

function scalarSchema(structure: Scalar): JsonObject {
  switch (structure.is) {
    case 'text':
      return { type: 'string', ...(structure.pattern === undefined ? { minLength: 1 } : {}), maxLength: structure.max }
    case 'number':
      return numberSchema(structure)
    case 'word':
      return { type: 'string', enum: structure.words }
    case 'flag':
      return { type: 'boolean' }
    case 'time':
      return { type: 'string', format: 'date-time' }
    case 'anyObject':
      throw new Error('an object that somebody else checks needs a schema in its note')
  }
}

const INT32 = 2 ** 31 - 1

function numberSchema({ isWhole, min, max }: Extract<Structure, { readonly is: 'number' }>): JsonObject {
  const kind: Readonly<Record<string, Json>> = isWhole
    ? { type: 'integer', format: max <= INT32 ? 'int32' : 'int64' }
    : { type: 'number', format: 'double' }
  const least = min === -Number.MAX_VALUE ? {} : { minimum: min }
  const most = max === Number.MAX_VALUE || max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }
  return { ...kind, ...least, ...most }
}

/**
 * JSON quotes a text as CEL does. Where a value is whole, the API server cuts a bound to a whole number: 0.01 to 0. So
 * such a bound needs a rule.
 */
function ownRules(structure: Structure): readonly Rule[] {
  if (structure.is === 'text' && structure.pattern !== undefined) {
    const message = `must be ${structure.expected ?? 'as the pattern says'}`
    return [{ rule: `self.matches(${JSON.stringify(structure.pattern)})`, message }]
  }
  if (structure.is !== 'number' || Number.isInteger(structure.min)) return []
  const { min, max } = structure
  return [{ rule: `self >= ${min}`, message: `must be ${min} to ${max}; raise it` }]
}
