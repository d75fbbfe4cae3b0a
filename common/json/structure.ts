import type { Path } from './field-path.ts'
import { isObject, type Json, member } from './json.ts'

/**
 * What a value of a manifest must be, as data: a value is checked by it, and the schema of a CRD is generated from it,
 * so that both agree.
 */
export type Structure =
  | TextStructure
  | NumberStructure
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'flag' }
  /** RFC 3339 */
  | { readonly is: 'time' }
  /** an object of any members, which other code checks */
  | { readonly is: 'anyObject' }
  | { readonly is: 'object'; readonly members: Readonly<Record<string, Structure | OptionalStructure>> }
  | { readonly is: 'list'; readonly items: Structure; readonly min: number; readonly max: number }
  /** an object whose keys the user chooses */
  | { readonly is: 'map'; readonly values: Structure; readonly max: number }

interface TextStructure {
  readonly is: 'text'
  /** the most characters */
  readonly max: number
  /** a regular expression that JavaScript and Go read alike; absent: any text but the empty one */
  readonly pattern?: string
  /** in words what the pattern says, such as `the name of a label` */
  readonly expected?: string
}

interface NumberStructure {
  readonly is: 'number'
  readonly isWhole: boolean
  readonly min: number
  readonly max: number
}

/** A member that may be absent. */
export interface OptionalStructure {
  readonly is: 'optional'
  readonly of: Structure
  /** what the CRD fills in; absent: nothing */
  readonly value?: Json
}

/** A structure for each member of `T`: exactly those that may be absent are optional. */
type StructureOf<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? OptionalStructure : Structure
}

export const text = (max: number, pattern?: string, expected?: string): Structure => ({
  is: 'text',
  max,
  ...(pattern === undefined ? {} : { pattern }),
  ...(expected === undefined ? {} : { expected }),
})
export const word = (words: readonly string[]): Structure => ({ is: 'word', words })
export const whole = (min: number, max: number): Structure => ({ is: 'number', isWhole: true, min, max })
export const number = (min: number, max: number): Structure => ({ is: 'number', isWhole: false, min, max })
/** Any number: what the program itself writes. */
export const anyNumber: Structure = number(-Number.MAX_VALUE, Number.MAX_VALUE)
/** A number of things, from 0. */
export const amount: Structure = whole(0, Number.MAX_SAFE_INTEGER)
export const flag: Structure = { is: 'flag' }
export const time: Structure = { is: 'time' }
export const anyObject: Structure = { is: 'anyObject' }
export const arrayOf = (items: Structure, max: number, min = 0): Structure => ({ is: 'list', items, min, max })
export const map = (values: Structure, max: number): Structure => ({ is: 'map', values, max })
export const object = <T>(members: StructureOf<T>): Structure => ({ is: 'object', members })
/** `value`: the default that the CRD fills in. */
export const optional = (of: Structure, value?: Json): OptionalStructure => ({
  is: 'optional',
  of,
  ...(value === undefined ? {} : { value }),
})

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
  const wrong = [{ path, expected: expectation(structure) }]
  switch (structure.is) {
    case 'object':
      if (!isObject(value)) return wrong
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

type Scalar = Exclude<Structure, { readonly is: 'object' | 'list' | 'map' }>

function isScalarOf(value: unknown, structure: Scalar): boolean {
  switch (structure.is) {
    case 'text':
      return typeof value === 'string' && value.length <= structure.max && matches(value, structure)
    case 'number':
      if (typeof value !== 'number' || (structure.isWhole && !Number.isInteger(value))) return false
      return value >= structure.min && value <= structure.max
    case 'word':
      return structure.words.some((each) => each === value)
    case 'flag':
      return typeof value === 'boolean'
    case 'time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
    case 'anyObject':
      return isObject(value)
  }
}

const matches = (value: string, { pattern }: TextStructure): boolean =>
  pattern === undefined ? value !== '' : new RegExp(pattern).test(value)

/** What a value must be, in words. */
function expectation(structure: Structure): string {
  switch (structure.is) {
    case 'text':
      return structure.expected ?? `a text of 1 to ${structure.max} characters`
    case 'number':
      return `${structure.isWhole ? 'a whole number' : 'a number'} from ${structure.min} to ${structure.max}`
    case 'word':
      return structure.words.join(' or ')
    case 'flag':
      return 'true or false'
    case 'time':
      return 'a time, such as 2026-11-21T14:05:00Z'
    case 'list':
      return `a list of ${structure.min} to ${structure.max} items`
    case 'map':
      return `an object of at most ${structure.max} members`
    case 'object':
    case 'anyObject':
      return 'an object'
  }
}

/**
 * The members of `value` that `structure` knows, without those that are null. `value` must be as `structure` says;
 * `T` is the type that the structure was made for.
 */
export const picked = <T>(value: unknown, structure: Structure): T => pickedValue(value, structure) as T

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
