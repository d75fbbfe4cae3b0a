import { type KubeObject, UNREAD } from './object.ts'

/** What was read: the value, that there is none, or why it could not be read. */
export type Known<T> =
  | { readonly is: 'known'; readonly value: T }
  | { readonly is: 'absent' }
  | {
      readonly is: 'unknown'
      readonly because: string
      /** an object that is too large to be read, with its name and uid */
      readonly unread?: KubeObject
    }

/** The result of a read that found `value`. */
export const known = <T>(value: T): Known<T> => ({ is: 'known', value })
/** The result of a read that found nothing. */
export const ABSENT = { is: 'absent' } as const
/** The result of a read that failed. `because` completes messages that say what could not be read. */
export const unknown = (because: string): Extract<Known<never>, { is: 'unknown' }> => ({ is: 'unknown', because })

/** `value`, or that there is none. */
export const knownOrAbsent = <T>(value: T | undefined): Known<T> => (value === undefined ? ABSENT : known(value))

/** The value where it is known, else undefined. */
export const knownValue = <T>(of: Known<T>): T | undefined => (of.is === 'known' ? of.value : undefined)

/** An object that was read: absent where there is none, unknown if it is too large. */
export const knownObject = (found: KubeObject | undefined): Known<KubeObject> =>
  found?.[UNREAD] === undefined
    ? knownOrAbsent(found)
    : { ...unknown(`it is too large: ${found[UNREAD]}`), unread: found }
