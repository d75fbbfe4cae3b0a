/** What was read: the value, that there is none, or why it could not be read. */
export type Known<T> =
  | { readonly is: 'known'; readonly value: T }
  | { readonly is: 'absent' }
  | { readonly is: 'unknown'; readonly because: string }

/** The result of a read that found `value`. */
export const known = <T>(value: T): Known<T> => ({ is: 'known', value })
/** The result of a read that found nothing. */
export const ABSENT = { is: 'absent' } as const
/** The result of a read that failed. `because` completes messages that say what could not be read. */
export const unknown = (because: string) => ({ is: 'unknown', because }) as const

/** `value`, or that there is none. */
export const knownOrAbsent = <T>(value: T | undefined): Known<T> => (value === undefined ? ABSENT : known(value))

/** The value where it is known, else undefined. */
export const knownValue = <T>(of: Known<T>): T | undefined => (of.is === 'known' ? of.value : undefined)
