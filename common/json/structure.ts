import type { Path } from './field-path.ts'
import { isObject, type Json, member, objectOr } from './json.ts'

/**
 * What a value of a manifest must be, as data: a value is checked by it, and the schema of a CRD is generated from it,
 * so that both agree.
 */
export type Structure =
  | TextStructure
  | NumberStructure
  | WordStructure
  | FlagStructure
  | TimeStructure
  | CountOrText
  | AnyObject
  | ObjectStructure
  | ListStructure
  | MapStructure

interface Described {
  /** in words what the value must be; of an object: and every mistake in it is a mistake of the whole */
  readonly expected?: string
  /** what the CRD accepts, where that is another thing: an object can be older than a limit */
  readonly accepted?: Structure
}

interface TextStructure extends Described {
  readonly is: 'text'
  readonly min: number
  /** the most characters */
  readonly max: number
  /** a regular expression that JavaScript and Go read alike; absent: any text */
  readonly pattern?: string
  /** whether the CRD has the pattern itself, in place of a rule whose message says what is expected */
  readonly isSyntax?: true
}

/** The formats of whole numbers in a CRD, with what they can hold. */
export const FORMATS = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
} as const
type Format = keyof typeof FORMATS

interface NumberStructure extends Described {
  readonly is: 'number'
  readonly isWhole: boolean
  readonly min: number
  readonly max: number
  /** its own bounds are not named in the CRD; absent: it follows from the bounds */
  readonly format?: Format
}

interface WordStructure<Word extends string = string> extends Described {
  readonly is: 'word'
  readonly words: readonly Word[]
}

interface FlagStructure extends Described {
  readonly is: 'flag'
}

/** RFC 3339 */
interface TimeStructure extends Described {
  readonly is: 'time'
}

/** A number of things, or a text such as a percentage, which other code reads. The limits are for the CRD. */
interface CountOrText extends Described {
  readonly is: 'countOrText'
  readonly pattern: string
  readonly maxLength: number
  readonly max?: number
}

/** An object of any members, which other code checks. */
interface AnyObject extends Described {
  readonly is: 'anyObject'
}

declare const VALUE: unique symbol

/** `T` is the type that it was made for. */
export interface ObjectStructure<T = unknown> extends Described {
  readonly is: 'object'
  readonly members: Readonly<Record<string, Structure | OptionalStructure>>
  /** whether it has one of its members and no other */
  readonly isChoice?: true
  readonly [VALUE]?: T
}

interface ListStructure<Items extends Structure = Structure> extends Described {
  readonly is: 'list'
  readonly items: Items
  readonly min: number
  readonly max: number
}

/** An object whose keys the user chooses. */
interface MapStructure extends Described {
  readonly is: 'map'
  readonly values: Structure
  readonly max: number
}

/** A member that may be absent. */
export interface OptionalStructure<Of extends Structure = Structure> {
  readonly is: 'optional'
  readonly of: Of
  /** what the CRD fills in; absent: nothing */
  readonly value?: Json
}

/** The structures for a value of the type `V`. */
type StructureFor<V> = [V] extends [string]
  ? TextStructure | TimeStructure | WordStructure<V>
  : [V] extends [number]
    ? NumberStructure
    : [V] extends [boolean]
      ? FlagStructure
      : [V] extends [string | number]
        ? CountOrText
        : [V] extends [readonly (infer Item)[]]
          ? ListStructure<StructureFor<Item>>
          : AnyObject | MapStructure | ObjectStructure<V>

/** A structure for each member of `T`: exactly those that may be absent are optional. */
type StructureOf<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? OptionalStructure<StructureFor<Exclude<T[K], undefined>>>
    : StructureFor<T[K]>
}

/** A structure for each member of which a `T` has one. */
type ChoiceOf<T> = {
  readonly [K in keyof T & string]-?: OptionalStructure<StructureFor<Exclude<T[K], undefined>>>
}

/** A text that is not empty, or, with a pattern, one that the pattern matches. */
export const text = (max: number, pattern?: string, expected?: string): TextStructure => ({
  is: 'text',
  min: pattern === undefined ? 1 : 0,
  max,
  ...(pattern === undefined ? {} : { pattern }),
  ...(expected === undefined ? {} : { expected }),
})
/** A text that may be empty. */
export const anyText = (max = Number.POSITIVE_INFINITY): TextStructure => ({ is: 'text', min: 0, max })
/** A text that the API server checks by the pattern itself, because it is a well-known one. */
export const syntax = (max: number, pattern: string): TextStructure => ({
  ...text(max, pattern),
  min: 1,
  isSyntax: true,
})
export const word = <const Word extends string>(words: readonly Word[]): WordStructure<Word> => ({ is: 'word', words })
export const whole = (min: number, max: number): NumberStructure => ({ is: 'number', isWhole: true, min, max })
export const number = (min: number, max: number): NumberStructure => ({ is: 'number', isWhole: false, min, max })
/** A whole number of a format, within narrower bounds if there are some. */
export const integer = (format: Format, min = FORMATS[format][0], max = FORMATS[format][1]): NumberStructure => ({
  ...whole(min, max),
  format,
})
/** Any number: what the program itself writes. */
export const anyNumber = number(-Number.MAX_VALUE, Number.MAX_VALUE)
/** A number of things, from 0. */
export const amount = whole(0, Number.MAX_SAFE_INTEGER)
export const flag: FlagStructure = { is: 'flag' }
export const time: TimeStructure = { is: 'time' }
/** A number of things or a text. `pattern`, the length of the text and the most are for the CRD alone. */
export const countOrText = (maxLength: number, pattern: string, max?: number): CountOrText => ({
  is: 'countOrText',
  maxLength,
  pattern,
  ...(max === undefined ? {} : { max }),
})
export const anyObject: AnyObject = { is: 'anyObject' }
export const arrayOf = <const Items extends Structure>(
  items: Items,
  max = Number.POSITIVE_INFINITY,
  min = 0,
): ListStructure<Items> => ({ is: 'list', items, min, max })
export const map = (values: Structure, max = Number.POSITIVE_INFINITY): MapStructure => ({ is: 'map', values, max })
export const object = <T>(members: StructureOf<T>): ObjectStructure<T> => ({ is: 'object', members })
/** An object that has one of `members` and no other. */
export const choice = <T>(members: ChoiceOf<T>): ObjectStructure<T> => ({ is: 'object', members, isChoice: true })
/** `value`: the default that the CRD fills in. */
export const optional = <const Of extends Structure>(of: Of, value?: Json): OptionalStructure<Of> => ({
  is: 'optional',
  of,
  ...(value === undefined ? {} : { value }),
})
/** `of`, in words. Of an object, every mistake in it is then a mistake of the whole. */
export const expecting = <const Of extends Structure>(expected: string, of: Of): Of => ({ ...of, expected })
/** `of` an object that may be older than a limit of the CRD, or that nobody limits. The CRD asks for `accepted`. */
export const narrowed = <const Of extends Structure>(of: Of, accepted: Structure): Of => ({ ...of, accepted })

/** A value that is not as its structure says. */
interface Mismatch {
  readonly path: Path
  /** `a whole number from 1 to 10` */
  readonly expected: string
}

/**
 * Every place where `value` is not as `structure` says, in the order of the structure. Members that it does not know
 * are no mistake.
 */
export function mismatches(value: unknown, structure: Structure, path: Path = []): readonly Mismatch[] {
  const found = mismatchesIn(value, structure, path)
  return found.length === 0 || structure.expected === undefined ? found : [{ path, expected: structure.expected }]
}

function mismatchesIn(value: unknown, structure: Structure, path: Path): readonly Mismatch[] {
  const wrong = [{ path, expected: expectation(structure) }]
  switch (structure.is) {
    case 'object':
      if (!isObject(value) || (structure.isChoice && heldKeys(value, structure).length !== 1)) return wrong
      return Object.entries(structure.members).flatMap(([key, of]) => {
        const held = member(value, key) ?? undefined // null counts as absent, as everywhere in a manifest
        if (of.is !== 'optional') return mismatches(held, of, [...path, key])
        return held === undefined ? [] : mismatches(held, of.of, [...path, key])
      })
    case 'list':
      if (!Array.isArray(value) || value.length < structure.min || value.length > structure.max) return wrong
      return value.flatMap((item, index) => mismatches(item, structure.items, [...path, index]))
    case 'map':
      if (!isObject(value) || Object.keys(value).length > structure.max) return wrong
      return Object.entries(value).flatMap(([key, held]) => mismatches(held, structure.values, [...path, key]))
    default:
      return isScalarOf(value, structure) ? [] : wrong
  }
}

/** The members of an object that are neither absent nor null. */
const heldKeys = (value: unknown, { members }: ObjectStructure): readonly string[] =>
  Object.keys(members).filter((key) => (member(value, key) ?? undefined) !== undefined)

type Scalar = Exclude<Structure, { readonly is: 'object' | 'list' | 'map' }>

function isScalarOf(value: unknown, structure: Scalar): boolean {
  switch (structure.is) {
    case 'text':
      if (typeof value !== 'string' || value.length < structure.min || value.length > structure.max) return false
      return structure.pattern === undefined || new RegExp(structure.pattern).test(value)
    case 'number':
      if (typeof value !== 'number' || (structure.isWhole && !Number.isInteger(value))) return false
      return value >= structure.min && value <= structure.max
    case 'word':
      return structure.words.some((each) => each === value)
    case 'flag':
      return typeof value === 'boolean'
    case 'time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
    case 'countOrText':
      return typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0)
    case 'anyObject':
      return isObject(value)
  }
}

/** What a value must be, in words. */
function expectation(structure: Structure): string {
  switch (structure.is) {
    case 'text':
      return `a text${range(structure, 'characters')}`
    case 'number':
      return `${structure.isWhole ? 'a whole number' : 'a number'} from ${structure.min} to ${structure.max}`
    case 'word':
      return structure.words.join(' or ')
    case 'flag':
      return 'true or false'
    case 'time':
      return 'a time, such as 2026-11-21T14:05:00Z'
    case 'countOrText':
      return 'a whole number, not negative, or a text'
    case 'list':
      return `a list${range(structure, 'items')}`
    case 'map':
      if (structure.max === Number.POSITIVE_INFINITY) return 'an object'
      return `an object of at most ${structure.max} members`
    case 'object':
      return structure.isChoice ? `an object with one of ${Object.keys(structure.members).join(', ')}` : 'an object'
    case 'anyObject':
      return 'an object'
  }
}

const range = ({ min, max }: { readonly min: number; readonly max: number }, what: string): string =>
  max === Number.POSITIVE_INFINITY ? '' : ` of ${min} to ${max} ${what}`

/** The members of `value` that `structure` knows, without those that are null. `value` must be as `structure` says. */
export const picked = <T>(value: unknown, structure: ObjectStructure<T>): T => pickedValue(value, structure) as T

function pickedValue(value: unknown, structure: Structure): unknown {
  if (structure.is === 'list' && Array.isArray(value)) return value.map((item) => pickedValue(item, structure.items))
  if (structure.is !== 'object') return value
  return Object.fromEntries(
    Object.entries(structure.members).flatMap(([key, of]) => {
      const held = member(value, key) ?? undefined
      return held === undefined ? [] : [[key, pickedValue(held, of.is === 'optional' ? of.of : of)]]
    }),
  )
}

/**
 * The members of `value` that have the types of `structure`, whatever its limits; the others, and those that it does
 * not know, are left out. For what others may write but we do not refuse.
 */
export const soundMembers = <T>(value: unknown, { members }: ObjectStructure<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(objectOr(value)).filter(([key, held]) => {
      const of = Object.hasOwn(members, key) ? members[key] : undefined
      return of !== undefined && hasTypes(held, of.is === 'optional' ? of.of : of)
    }),
  ) as Partial<T>

/** Null is of no type, and so does not count as absent. */
function hasTypes(value: unknown, structure: Structure): boolean {
  switch (structure.is) {
    case 'object':
      if (!isObject(value)) return false
      return Object.entries(structure.members).every(([key, of]) => {
        const held = member(value, key)
        return of.is === 'optional' ? held === undefined || hasTypes(held, of.of) : hasTypes(held, of)
      })
    case 'list':
      return Array.isArray(value) && value.every((item) => hasTypes(item, structure.items))
    case 'map':
      return isObject(value) && Object.values(value).every((held) => hasTypes(held, structure.values))
    case 'text':
    case 'time':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    default:
      return isScalarOf(value, structure)
  }
}
