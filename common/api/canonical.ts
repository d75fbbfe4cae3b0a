import { createHash } from 'node:crypto'

/** JSON with its keys in order, so that equal values give equal text. Members that are undefined are left out, as in JSON. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  // += and no arrays in between: a pass hashes its base and its fork, and this is most of its time
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

/** Keys of manifests need no escapes, and JSON.stringify costs more than looking. */
const escaped = (key: string): string => (PLAIN.test(key) ? key : JSON.stringify(key).slice(1, -1))
const PLAIN = /^[\w./-]+$/

/** The first `digits` hex digits of the SHA-256 of `value` as canonical JSON; of a string, of its bytes. */
export const hashOf = (value: unknown, digits: number): string =>
  createHash('sha256')
    .update(typeof value === 'string' ? value : canonicalJson(value))
    .digest('hex')
    .slice(0, digits)
