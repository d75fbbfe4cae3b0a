import type { Path } from './field-path.ts'
import { isObject, member, objectOr } from './json.ts'
import type { ObjectStructure, Structure } from './structure.ts'

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
  const { expected } = structure
  if (expected !== undefined) return meets(value, structure, 'limits') ? [] : [{ path, expected }]
  switch (structure.is) {
    case 'object':
      if (!isObject(value) || !isChosen(value, structure)) break
      return Object.entries(structure.members).flatMap(([key, of]) => {
        const held = heldIn(value, key)
        if (of.is !== 'optional') return mismatches(held, of, [...path, key])
        return held === undefined ? [] : mismatches(held, of.of, [...path, key])
      })
    case 'list':
      if (!Array.isArray(value) || !isWithin(value.length, structure)) break
      return value.flatMap((item, index) => mismatches(item, structure.items, [...path, index]))
    case 'map':
      if (!isObject(value) || Object.keys(value).length > structure.max) break
      return Object.entries(value).flatMap(([key, held]) => mismatches(held, structure.values, [...path, key]))
    default:
      if (isScalarOf(value, structure)) return []
  }
  return [{ path, expected: expectation(structure) }]
}

/** null counts as absent, as everywhere in a manifest. */
const heldIn = (value: unknown, key: string): unknown => member(value, key) ?? undefined

/** Whether an object has no more and no less than one member where its structure is a choice. */
const isChosen = (value: unknown, { members, isChoice }: ObjectStructure): boolean =>
  !isChoice || Object.keys(members).filter((key) => heldIn(value, key) !== undefined).length === 1

const isWithin = (found: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  found >= min && found <= max

/**
 * Whether a value is as its structure says. `types`: whatever its limits; null is of no type then, and not absent.
 * Stops at the first mistake, because nobody limits some lists.
 */
function meets(value: unknown, structure: Structure, asked: 'limits' | 'types'): boolean {
  const isExact = asked === 'limits'
  switch (structure.is) {
    case 'object':
      if (!isObject(value) || (isExact && !isChosen(value, structure))) return false
      return Object.entries(structure.members).every(([key, of]) => {
        const held = isExact ? heldIn(value, key) : member(value, key)
        return of.is === 'optional' ? held === undefined || meets(held, of.of, asked) : meets(held, of, asked)
      })
    case 'list':
      if (!Array.isArray(value) || (isExact && !isWithin(value.length, structure))) return false
      return value.every((item) => meets(item, structure.items, asked))
    case 'map':
      if (!isObject(value) || (isExact && Object.keys(value).length > structure.max)) return false
      return Object.values(value).every((held) => meets(held, structure.values, asked))
    default:
      return isExact ? isScalarOf(value, structure) : isOfType(value, structure)
  }
}

type Scalar = Exclude<Structure, { readonly is: 'object' | 'list' | 'map' }>

function isScalarOf(value: unknown, structure: Scalar): boolean {
  switch (structure.is) {
    case 'text':
      if (typeof value !== 'string' || !isWithin(value.length, structure)) return false
      return structure.pattern === undefined || new RegExp(structure.pattern).test(value)
    case 'number':
      if (typeof value !== 'number' || (structure.isWhole && !Number.isInteger(value))) return false
      return isWithin(value, structure)
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

function isOfType(value: unknown, structure: Scalar): boolean {
  if (structure.is === 'text' || structure.is === 'time') return typeof value === 'string'
  return structure.is === 'number' ? typeof value === 'number' : isScalarOf(value, structure)
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
  const members: Record<string, unknown> = {}
  for (const [key, of] of Object.entries(structure.members)) {
    const held = heldIn(value, key)
    if (held !== undefined) members[key] = pickedValue(held, of.is === 'optional' ? of.of : of)
  }
  return members
}

/**
 * The members of `value` that have the types of `structure`, whatever its limits; the others, and those that it does
 * not know, are left out. For what others may write but we do not refuse.
 */
export const soundMembers = <T>(value: unknown, { members }: ObjectStructure<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(objectOr(value)).filter(([key, held]) => {
      const of = Object.hasOwn(members, key) ? members[key] : undefined
      return of !== undefined && meets(held, of.is === 'optional' ? of.of : of, 'types')
    }),
  ) as Partial<T>
