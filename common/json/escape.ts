import { isObject } from './json.ts'

/** Control and format characters, and the separators of lines and paragraphs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * `text` with invisible characters as in JSON: `\u202e`, which would show what follows from right to left. So a name
 * cannot look like another one, or like the end of a message.
 */
export const escapeInvisible = (text: string): string => text.replaceAll(INVISIBLE, escapeUnits)

/**
 * `value` with the invisible characters escaped in all of its texts; itself where there are none. Names of members stay
 * as they are. Recursive, so the nesting must be bounded.
 */
export function escapeTexts<T>(value: T): T
export function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeInvisible(value)
  if (Array.isArray(value)) {
    const escaped = value.map(escapeTexts)
    return escaped.every((item, at) => item === value[at]) ? value : escaped
  }
  if (!isObject(value)) return value
  const escaped = Object.entries(value).map(([key, inner]) => [key, escapeTexts(inner)] as const)
  return escaped.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(escaped)
}

/** `text` in printable ASCII, with all other characters as in JSON, so that different texts stay different. */
export const escapeToAscii = (text: string): string => text.replaceAll(/[^ -~]/g, escapeUnits)

/** Each UTF-16 unit, because JSON has no other escape for characters beyond U+FFFF. */
const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0'))
    .map((digits) => `\\u${digits}`)
    .join('')
