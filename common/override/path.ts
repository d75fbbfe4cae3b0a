import type { Token } from '../json/sequence.ts'
import type { Identity, ListKey } from './shape.ts'

/** A step into an object. */
export interface MemberStep {
  readonly is: 'member'
  readonly key: string
}

/** A step into a list. */
export interface ItemStep {
  readonly is: 'item'
  /** what `[...]` in a pattern may contain to match: its key, or its index in a list without keys */
  readonly names: readonly string[]
  /** in the changed list, or in the former one for a removed item */
  readonly index: number
  /** how the item is identified; undefined in a list without keys */
  readonly keyed: { readonly keys: readonly ListKey[]; readonly identity: Identity | undefined } | undefined
  /** undefined: it is in both lists */
  readonly became: 'added' | 'removed' | undefined
}

export type Step = MemberStep | ItemStep

/** A parsed pattern, for `coverage`. */
export type OverridePath = readonly Token<Step>[]

/** The maximum length of a pattern. The CRD has the same limit. */
export const MAX_PATTERN = 256

/** `*`, `**`, `key` or `{a,b}` after a dot; `[*]`, `[+]`, `[-]`, `[cart]`, `[0]` or `["a.b/c"]`. The CRD repeats it. */
const STEP = /\.(?:(\*\*?)|([\w-]+)|\{([\w-]+(?:,[\w-]+)*)\})|\[(?:([*+-])|([\w./-]+)|"([^"\\]+)")\]/y

/**
 * Parses a pattern of `allowedOverridePaths` or `deniedOverridePaths`, relative to `overrideSpec`. `*` matches one key,
 * `**` any number of steps, `{a,b}` either key, `["a.b/c"]` a key with dots. In lists `[*]` matches any item, `[+]` an
 * added one, `[-]` a removed one, `[cart]` the one with that key, `[0]` the first of a list without keys. Undefined if
 * `pattern` is not valid.
 */
export function parseOverridePath(pattern: string): OverridePath | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  const text = `.${pattern}`
  const tokens: Token<Step>[] = []
  const step = new RegExp(STEP) // a new object, because it stores its position
  while (step.lastIndex < text.length) {
    const [found, stars, key, either, sign, name, quoted] = step.exec(text) ?? []
    if (found === undefined) return undefined
    tokens.push(stars ? anyKey(stars) : token({ key, either, sign, name, quoted }))
  }
  return tokens
}

const anyKey = (stars: string): Token<Step> => (stars === '**' ? 'many' : ({ is }) => is === 'member')

type Parts = Readonly<Record<'key' | 'either' | 'sign' | 'name' | 'quoted', string | undefined>>

function token({ key, either, sign, name, quoted }: Parts): Token<Step> {
  const keys = key === undefined ? either?.split(',') : [key]
  if (keys) return (step) => step.is === 'member' && keys.includes(step.key)
  if (sign === '*') return ({ is }) => is === 'item'
  if (sign) return (step) => step.is === 'item' && step.became === (sign === '+' ? 'added' : 'removed')
  if (name !== undefined) return (step) => step.is === 'item' && step.names.includes(name)
  return (step) => (step.is === 'item' ? step.names : [step.key]).includes(quoted ?? '')
}
