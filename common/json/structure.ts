import type { Json } from './json.ts'

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
  /** what the text must be */
  readonly words: string
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
/** As `text`, never empty. */
export const syntax = (max: number, pattern: string, expected: string): TextStructure => ({
  ...text(max, pattern, expected),
  min: 1,
})
export const word = <Word extends string>(words: readonly Word[]): WordStructure<Word> => ({ is: 'word', words })
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
/** A number of things or a text. `words`, `pattern`, the length of the text and the most are for the CRD alone. */
export const countOrText = (words: string, maxLength: number, pattern: string, max?: number): CountOrText => ({
  is: 'countOrText',
  words,
  maxLength,
  pattern,
  ...(max === undefined ? {} : { max }),
})
export const anyObject: AnyObject = { is: 'anyObject' }
export const arrayOf = <Items extends Structure>(
  items: Items,
  max = Number.POSITIVE_INFINITY,
  min = 0,
): ListStructure<Items> => ({ is: 'list', items, min, max })
export const map = (values: Structure, max = Number.POSITIVE_INFINITY): MapStructure => ({ is: 'map', values, max })
export const object = <T>(members: StructureOf<T>): ObjectStructure<T> => ({ is: 'object', members })
/** An object that has one of `members` and no other. */
export const choice = <T>(members: ChoiceOf<T>): ObjectStructure<T> => ({ is: 'object', members, isChoice: true })
/** `value`: the default that the CRD fills in. */
export const optional = <Of extends Structure>(of: Of, value?: Json): OptionalStructure<Of> => ({
  is: 'optional',
  of,
  ...(value === undefined ? {} : { value }),
})
/** `of`, in words. Of an object, every mistake in it is then a mistake of the whole. */
export const expecting = <Of extends Structure>(expected: string, of: Of): Of => ({ ...of, expected })
/** What a program decodes is as `of`, because a stored object may be older than a limit. The CRD has `accepted`. */
export const narrowed = <Of extends Structure>(of: Of, accepted: Structure): Of => ({ ...of, accepted })
