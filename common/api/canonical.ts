import { createHash } from 'node:crypto'

/** JSON with its keys in order, so that equal values give equal text. Members that are undefined are left out, as in JSON. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members: string[] = []
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`)
  }
  return `{${members.join(',')}}`
}

/** The first `digits` hex digits of the SHA-256 of `value` as canonical JSON; of a string, of its bytes. */
export const hashOf = (value: unknown, digits: number): string =>
  createHash('sha256')
    .update(typeof value === 'string' ? value : canonicalJson(value))
    .digest('hex')
    .slice(0, digits)
