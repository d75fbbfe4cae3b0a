import { isObject, member, objectOr } from './json.ts'

/** Whether a value is what a member should hold. */
export type Check = (value: unknown) => boolean

/** A check for each member of `T`. */
export type Members<T> = { readonly [K in keyof Required<T>]: Check }

export const isText: Check = (value) => typeof value === 'string'
export const isNumber: Check = (value) => typeof value === 'number'
export const isBoolean: Check = (value) => typeof value === 'boolean'
/** A whole number, 0 or more. */
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
export const countUpTo = (most: number) => (value: unknown) => isCount(value) && Number(value) <= most

export const oneOf = (words: readonly unknown[]) => (value: unknown) => words.includes(value)
export const orAbsent = (holds: Check) => (value: unknown) => value === undefined || holds(value)
export const listOf = (holds: Check) => (value: unknown) => Array.isArray(value) && value.every(holds)
export const objectWith =
  <T>(members: Members<T>) =>
  (value: unknown) =>
    isObject(value) && Object.entries<Check>(members).every(([key, holds]) => holds(value[key]))

/** Members that all have one check: `holds` for each of `keys`. */
export const each = <Key extends string>(holds: Check, ...keys: readonly Key[]): Readonly<Record<Key, Check>> =>
  Object.fromEntries(keys.map((key) => [key, holds])) as Record<Key, Check>

/** The members of `value` that pass their check. The others, and those without a check, are left out. */
export const soundMembers = <T>(value: unknown, members: Members<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(objectOr(value)).filter(([key, held]) => (member(members, key) as Check | undefined)?.(held)),
  ) as Partial<T>
