import { at, listOr } from '../json/json.ts'
import { type Text, text } from './text.ts'

/** The text at `path` of somebody else's object, made safe; undefined: there is none, or it is empty. */
export function textAt(of: unknown, ...path: readonly string[]): Text | undefined {
  const value = at(of, ...path)
  return typeof value === 'string' && value !== '' ? text(value) : undefined
}

/** As `textAt`, empty where there is none. */
export const textIn = (of: unknown, ...path: readonly string[]): Text => textAt(of, ...path) ?? text('')

/** The whole number at `path`, from 0; undefined: there is none. */
export function countAt(of: unknown, ...path: readonly string[]): number | undefined {
  const value = at(of, ...path)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The first `most` items of the list at `path`. */
export const itemsAt = (of: unknown, most: number, ...path: readonly string[]): readonly unknown[] =>
  listOr(at(of, ...path)).slice(0, most)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** `value` if it is a time in RFC 3339. */
export const timeIn = (value: unknown): string | undefined =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/** The time at `path`, in RFC 3339; undefined: there is none. */
export const timeAt = (of: unknown, ...path: readonly string[]): string | undefined => timeIn(at(of, ...path))

/** The time that is `seconds` after `since`, in whole seconds; undefined without a time, and beyond the year 9999. */
export function timeAfter(since: string | undefined, seconds: number): string | undefined {
  const ms = Date.parse(since ?? '') + seconds * 1_000
  return Math.abs(ms) < LAST_MS ? `${new Date(ms).toISOString().slice(0, 19)}Z` : undefined
}

const LAST_MS = Date.parse('9999-12-31T23:59:59Z')
