import type { FieldErrorCause } from '../api/types.ts'
import type { Path } from '../json/field-path.ts'
import { isObject, member } from '../json/json.ts'

/** One place where a mistake can be corrected, and how. */
interface Remedy {
  /** below `spec` of the workload */
  readonly path: Path
  readonly message: string
}

/** A value that Kubernetes refuses although its type is right. */
export interface ValueError extends Remedy {
  readonly cause: FieldErrorCause
  /** other places whose values contradict this one. An author who set one of them can correct it there */
  readonly others: readonly Remedy[]
  /** the API server stores the value, but no pod can run with it, or it has no effect */
  readonly isStored?: true
}

/**
 * A value of a spec, where it is, and where mistakes are reported. A value of another type than expected is ignored.
 * Linked from the value up, because hundreds are looked at and few are named.
 */
export interface Field {
  readonly value: unknown
  readonly step: string | number
  readonly parent: Field | undefined
  readonly errors: ValueError[]
}

/** The whole `spec`. Mistakes are added to `errors`. */
export const rootField = (spec: unknown, errors: ValueError[]): Field => ({
  value: spec,
  step: '',
  parent: undefined,
  errors,
})

const childOf = (parent: Field, step: string | number, value: unknown): Field => ({
  value,
  step,
  parent,
  errors: parent.errors,
})

/** The member `key` of `field`. Its value is undefined if it does not exist. */
export const fieldAt = (field: Field, key: string): Field => childOf(field, key, member(field.value, key))

/** The field below `field` at `keys`. */
export const fieldIn = (field: Field, ...keys: readonly string[]): Field => keys.reduce(fieldAt, field)

/** Whether `field` has a value at `key`, without a Field for it: most optional fields are absent. */
export const hasValue = ({ value }: Field, key: string): boolean => (member(value, key) ?? undefined) !== undefined

/** The items of a list. */
export const itemsOf = (field: Field): readonly Field[] =>
  Array.isArray(field.value) ? field.value.map((item, index) => childOf(field, index, item)) : NONE

/** The items of a list that are not sound. Most are, and need no Field. */
export function itemsUnless(field: Field, isSound: (item: unknown) => boolean): readonly Field[] {
  if (!Array.isArray(field.value)) return NONE
  let found: Field[] | undefined
  for (const [index, item] of field.value.entries())
    if (!isSound(item)) {
      found ??= []
      found.push(childOf(field, index, item))
    }
  return found ?? NONE
}

const NONE: readonly Field[] = []

/** The members of an object. */
export const membersOf = (field: Field): readonly (readonly [key: string, field: Field])[] =>
  isObject(field.value) ? Object.keys(field.value).map((key) => [key, fieldAt(field, key)] as const) : []

function pathOf(field: Field): Path {
  const path: (string | number)[] = []
  for (let at = field; at.parent; at = at.parent) path.push(at.step)
  return path.reverse()
}

/** Whether the field has a value. An empty text is one. */
export const isSet = ({ value }: Field): boolean => value !== undefined && value !== null

/** The text of the field; empty if there is none, which Kubernetes does not distinguish. */
export const textAt = ({ value }: Field): string => (typeof value === 'string' ? value : '')

/** The number of the field, if it is one. */
export const numberOf = ({ value }: Field): number | undefined => (typeof value === 'number' ? value : undefined)

/** Another place to correct the mistake. */
export const remedyAt = (field: Field, message: string): Remedy => ({ path: pathOf(field), message })

/** Reports that the value of `field` is refused. */
export function refuse(
  field: Field,
  message: string,
  { cause = 'FieldValueInvalid', others = [], isStored }: Partial<Omit<ValueError, 'path' | 'message'>> = {},
): void {
  field.errors.push({ path: pathOf(field), message, cause, others, ...(isStored ? { isStored } : {}) })
}

/** Reports that `field` needs a value. */
export const requireValue = (field: Field, message: string, others: readonly Remedy[] = []): void =>
  refuse(field, message, { cause: 'FieldValueRequired', others })

/** Reports a `problem`, if there is one. */
export const refuseIf = (field: Field, problem: string | undefined): void => {
  if (problem !== undefined) refuse(field, problem)
}

/** A number that must be in a range. */
export function checkRange(field: Field, least: number, most: number): void {
  const number = numberOf(field)
  if (number !== undefined && (number < least || number > most))
    refuse(field, `must be from ${least} to ${most}; got ${number}`)
}
