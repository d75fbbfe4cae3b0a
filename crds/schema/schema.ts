import type { Json, JsonObject } from '../../common/json/json.ts'
import { FORMATS, type ObjectStructure, type Structure } from '../../common/json/structure.ts'

/** A rule of a schema in CEL. `message` names the remedy. */
export interface Rule {
  readonly rule: string
  readonly message: string
  /** the member that the rule is about, such as `.address`; absent: the object itself */
  readonly fieldPath?: string
  /** absent: the value is wrong; else the member must not be there, or must be */
  readonly reason?: 'FieldValueForbidden' | 'FieldValueRequired'
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
  /**
   * of a list: the members by which an item is known, or that no item is there twice; absent: the list is one value;
   * unsaid: as well, but the schema does not say it
   */
  readonly keys?: readonly string[] | 'set' | 'unsaid'
  /**
   * of an object: whether server-side apply stores it as it is applied. Otherwise several managers can own parts of it,
   * and Kubernetes makes null of it when one of them applies {} in place of all that there is
   */
  readonly isAtomic?: boolean
  /** whether null is stored as it is applied */
  readonly isNullable?: boolean
  /** of a member that must be there: what to do where it is not, in place of the words of the API server */
  readonly whenAbsent?: string
  /**
   * whether the rule of its pattern is left to the webhook. Kubernetes before 1.34 takes a number or text for 3 MiB of
   * text, so such a rule in a list costs too much, and the API server refuses the CRD
   */
  readonly isReviewed?: boolean
  /** of a whole number: what is said of a text, in place of the words of the API server about types */
  readonly insteadOfText?: string
  /** of an object: the schemas of members that are known only so that rules can refuse them */
  readonly refused?: JsonObject
  /** in place of what the structure says, for an object that other code checks */
  readonly schema?: JsonObject
}

interface SchemaOptions {
  /** whether the rules in CEL are left out: only the program writes such objects */
  readonly withoutRules?: boolean
}

/**
 * The schema of `structure` in a CRD. A text with a pattern has a rule instead of the pattern, because its message can
 * say what is expected. @throws Error that names a member without a note, or a note without a member
 */
export function schemaOf(described: Structure, note: Note, options: SchemaOptions = {}): JsonObject {
  const structure = described.accepted ?? described
  const whole = wholeNote(note)
  const { about, rules = [], itemRules, keys, isAtomic, isNullable, isReviewed, schema } = whole
  const head = { ...(about === '' ? {} : { description: about }), ...(isNullable ? { nullable: true } : {}) }
  if (schema) return { ...head, ...schema }
  const all = options.withoutRules
    ? []
    : [...absenceRules(whole), ...textRules(whole), ...rules, ...(isReviewed ? [] : ownRules(structure))]
  const ruled = all.length === 0 ? {} : { 'x-kubernetes-validations': all.map((rule) => ({ ...rule })) }
  const validations = isAtomic ? { 'x-kubernetes-map-type': 'atomic', ...ruled } : ruled
  switch (structure.is) {
    case 'object':
      return { ...head, ...objectSchema(structure, whole, validations, options) }
    case 'list': {
      const { members, refused } = whole
      const items = schemaOf(structure.items, { about: '', ...of({ members, refused, rules: itemRules }) }, options)
      const least = structure.min === 0 ? {} : { minItems: structure.min }
      return {
        ...head,
        type: 'array',
        ...least,
        ...most('maxItems', structure),
        ...listType(keys),
        ...validations,
        items,
      }
    }
    case 'map': {
      const additionalProperties = schemaOf(structure.values, '', options)
      return { ...head, type: 'object', ...most('maxProperties', structure), ...validations, additionalProperties }
    }
    default:
      return { ...head, ...scalarSchema(structure, whole), ...validations }
  }
}

const wholeNote = (note: Note): NoteWithRules => (typeof note === 'string' ? { about: note } : note)

/** The schema lets a text pass, and this rule refuses it. With `==` it costs too much in a list, see `isReviewed`. */
const textRules = ({ insteadOfText }: NoteWithRules): readonly Rule[] =>
  insteadOfText === undefined ? [] : [{ rule: 'type(self) in [int]', message: insteadOfText }]

const absenceRules = ({ members = {} }: NoteWithRules): readonly Rule[] =>
  Object.entries(members).flatMap(([key, note]) => {
    const { whenAbsent } = wholeNote(note)
    if (whenAbsent === undefined) return []
    return [{ rule: `has(self.${key})`, fieldPath: `.${key}`, reason: 'FieldValueRequired', message: whenAbsent }]
  })

const most = (key: string, { max }: { readonly max: number }): JsonObject =>
  Number.isFinite(max) ? { [key]: max } : {}

/** The members of `value` that are not undefined. */
const of = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as never

function listType(keys: NoteWithRules['keys'] = []): JsonObject {
  if (keys === 'unsaid') return {}
  if (keys === 'set') return { 'x-kubernetes-list-type': 'set' }
  if (keys.length === 0) return { 'x-kubernetes-list-type': 'atomic' }
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
}

function objectSchema(
  { members }: ObjectStructure,
  { members: notes = {}, refused = {} }: NoteWithRules,
  validations: JsonObject,
  options: SchemaOptions,
): JsonObject {
  const stray = Object.keys(notes).find((key) => !Object.hasOwn(members, key))
  if (stray !== undefined) throw new Error(`the description of ${stray} is about no member`)
  const required = Object.entries(members).flatMap(([key, { is }]) =>
    is === 'optional' || wholeNote(notes[key] ?? '').whenAbsent !== undefined ? [] : [key],
  )
  const properties = Object.entries(members).map(([key, member]) => {
    const note = notes[key]
    if (note === undefined) throw new Error(`the schema of ${key} has no description`)
    const schema = schemaOf(member.is === 'optional' ? member.of : member, note, options)
    const value = member.is === 'optional' ? member.value : undefined
    return [key, value === undefined ? schema : { ...schema, default: value }] as const
  })
  const needs: JsonObject = required.length === 0 ? {} : { required }
  return { type: 'object', ...needs, ...validations, properties: { ...Object.fromEntries(properties), ...refused } }
}

type Scalar = Exclude<Structure, { readonly is: 'object' | 'list' | 'map' }>

function scalarSchema(structure: Scalar, { insteadOfText }: NoteWithRules): JsonObject {
  switch (structure.is) {
    case 'text':
      return {
        type: 'string',
        ...(structure.min === 0 ? {} : { minLength: structure.min }),
        ...most('maxLength', structure),
      }
    case 'number':
      return insteadOfText === undefined ? numberSchema(structure) : countSchema(structure)
    case 'word':
      return { type: 'string', enum: structure.words }
    case 'flag':
      return { type: 'boolean' }
    case 'time':
      return { type: 'string', format: 'date-time' }
    case 'countOrText': {
      const { max, maxLength } = structure
      return { 'x-kubernetes-int-or-string': true, minimum: 0, ...of({ maximum: max }), maxLength }
    }
    case 'anyObject':
      throw new Error('an object that somebody else checks needs a schema in its note')
  }
}

/** A whole number that may be a text as far as the schema is concerned. */
const countSchema = ({ min, max }: Extract<Structure, { readonly is: 'number' }>): JsonObject => ({
  'x-kubernetes-int-or-string': true,
  minimum: min,
  maximum: max,
  maxLength: 64,
})

function numberSchema({ isWhole, min, max, format }: Extract<Structure, { readonly is: 'number' }>): JsonObject {
  const kind: Readonly<Record<string, Json>> = isWhole
    ? { type: 'integer', format: format ?? (max <= FORMATS.int32[1] ? 'int32' : 'int64') }
    : { type: 'number', format: 'double' }
  const [lowest, highest] = format ? FORMATS[format] : [-Number.MAX_VALUE, Number.MAX_SAFE_INTEGER]
  const least = min === lowest ? {} : { minimum: min }
  return { ...kind, ...least, ...(max === highest || max === Number.MAX_VALUE ? {} : { maximum: max }) }
}

/**
 * JSON quotes a text as CEL does. Where a value is whole, the API server cuts a bound to a whole number: 0.01 to 0. So
 * such a bound needs a rule.
 */
function ownRules(structure: Structure): readonly Rule[] {
  if (structure.is === 'countOrText')
    return [
      {
        rule: `type(self) == int || string(self).matches(${JSON.stringify(structure.pattern)})`,
        message: `must be ${structure.words}`,
      },
    ]
  if (structure.is === 'text' && structure.pattern !== undefined) {
    const message = `must be ${structure.expected ?? 'as the pattern says'}`
    return [{ rule: `self.matches(${JSON.stringify(structure.pattern)})`, message }]
  }
  if (structure.is !== 'number' || Number.isInteger(structure.min)) return []
  const { min, max } = structure
  return [{ rule: `self >= ${min}`, message: `must be ${min} to ${max}; raise it` }]
}
