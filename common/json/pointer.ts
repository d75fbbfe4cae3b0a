import { member } from './json.ts'

/** The index of an item, without leading zeros. */
const INDEX = /^(?:0|[1-9][0-9]*)$/

/**
 * What `pointer` (RFC 6901) leads to; undefined if it leads nowhere. Steps only into own members of objects and items
 * of lists: `/length` and `/__proto__` lead to what the JSON itself has by these names.
 */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  const [start, ...tokens] = pointer.split('/')
  return start === '' ? tokens.map(unescaped).reduce(stepInto, value) : undefined
}

function stepInto(value: unknown, token: string): unknown {
  if (!Array.isArray(value)) return member(value, token)
  return INDEX.test(token) ? value[Number(token)] : undefined
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')
