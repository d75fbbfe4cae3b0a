/** What was read: the value, that there is none, or that nobody can tell now. */
export type Known<T> =
  | { readonly is: 'known'; readonly value: T }
  | { readonly is: 'absent' }
  | {
      readonly is: 'unknown'
      /** why it could not be read, for a message */
      readonly because: string
    }

/** A value that was read. */
export const known = <T>(value: T): Known<T> => ({ is: 'known', value })

/** There is none. */
export const ABSENT = { is: 'absent' } as const

/** Nobody can tell now. */
export const unknown = (because: string) => ({ is: 'unknown', because }) as const

/** `value`, or that there is none. */
export const knownOrAbsent = <T>(value: T | undefined): Known<T> => (value === undefined ? ABSENT : known(value))

/** The value where it is known; undefined where there is none or nobody can tell. */
export const knownValue = <T>(of: Known<T>): T | undefined => (of.is === 'known' ? of.value : undefined)
