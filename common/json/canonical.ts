import { hash } from 'node:crypto'

/**
 * JSON with sorted keys, so that equal values give equal text. Leaves out undefined members, as JSON.stringify does.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  // += is faster than joining arrays: each pass hashes base and fork, and spends most of its time here
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item ?? null)}`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined) text += `${text === '' ? '"' : ',"'}${escaped(key)}":${canonicalJson(member)}`
  }
  return `{${text}}`
}

/** Most keys of manifests need no escapes, and the test is cheaper than JSON.stringify. */
const escaped = (key: string): string => (PLAIN.test(key) ? key : JSON.stringify(key).slice(1, -1))
const PLAIN = /^[\w./-]+$/

/** The hex digits of a whole SHA-256. */
export const WHOLE = 64

/** The first `digits` hex digits of a SHA-256: of the canonical JSON of `value`, or of its bytes if it is a string. */
export const sha256Of = (value: unknown, digits: number): string =>
  hash('sha256', typeof value === 'string' ? value : canonicalJson(value)).slice(0, digits)
