import { formatPath, shortened } from '../json/field-path.ts'
import { listOr, member } from '../json/json.ts'
import type { Token } from '../json/sequence.ts'
import { type Identity, identityOf, type ListKey, type Shape } from './shape.ts'

/** A step into an item of a list. */
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

/** A step into an object or into a list. */
export type PathStep = { readonly is: 'member'; readonly key: string } | ItemStep

/** What is known at the end of `path`. */
export const shapeAt = (shape: Shape, path: readonly PathStep[]): Shape =>
  path.reduce((found, step) => (step.is === 'member' ? found.member(step.key) : found.items()), shape)

/** A parsed pattern, for `coverage`. */
export type OverridePath = readonly Token<PathStep>[]

/** One step of a pattern, with its text: the texts of all steps, without the first dot, are the pattern. */
export type PatternStep = { readonly text: string } & (
  | { readonly is: 'many' }
  /** undefined: any key */
  | { readonly is: 'member'; readonly keys: readonly string[] | undefined }
  /** in brackets; undefined: any item. With `became` only added or only removed ones */
  | { readonly is: 'item'; readonly name: string | undefined; readonly became?: ItemStep['became'] }
  /** in brackets and quotes: the key of a member, or the name of an item */
  | { readonly is: 'quoted'; readonly name: string }
)

/** The maximum length of a pattern. The CRD has the same limit. */
export const MAX_PATTERN = 256

/** `*`, `**`, `key` or `{a,b}` after a dot; `[*]`, `[+]`, `[-]`, `[cart]`, `[0]` or `["a.b/c"]`. The CRD repeats it. */
const STEP = /\.(?:(\*\*?)|([\w-]+)|\{([\w-]+(?:,[\w-]+)*)\})|\[(?:([*+-])|([\w./-]+)|"([^"\\]+)")\]/y

/** The steps of a pattern of `parseOverridePath`, as they are written. Undefined if `pattern` is not valid. */
export const patternSteps = (pattern: string): readonly PatternStep[] | undefined =>
  pattern.length > MAX_PATTERN ? undefined : pathSteps(pattern)

/** As `patternSteps`, of any length. */
export function pathSteps(pattern: string): readonly PatternStep[] | undefined {
  const text = `.${pattern}`
  const steps: PatternStep[] = []
  const step = new RegExp(STEP) // a new object, because it stores its position
  while (step.lastIndex < text.length) {
    const found = step.exec(text)
    if (!found) return undefined
    steps.push(patternStep(found))
  }
  return steps
}

function patternStep([text = '', stars, key, either, sign, name, quoted]: readonly (
  | string
  | undefined
)[]): PatternStep {
  if (stars) return stars === '**' ? { text, is: 'many' } : { text, is: 'member', keys: undefined }
  const keys = key === undefined ? either?.split(',') : [key]
  if (keys) return { text, is: 'member', keys }
  if (sign === '*') return { text, is: 'item', name: undefined }
  if (sign) return { text, is: 'item', name: undefined, became: sign === '+' ? 'added' : 'removed' }
  return name === undefined ? { text, is: 'quoted', name: quoted ?? '' } : { text, is: 'item', name }
}

/** The step of a pattern that matches the member `key` only: `.image`, `["a.b/c"]`; undefined if there is none. */
export const memberText = (key: string): string | undefined => (/^[\w-]+$/.test(key) ? `.${key}` : quoted(key))

/** As `memberText`, for the item `name` of a list: `[cart]`, `["a b"]`. */
export const itemText = (name: string): string | undefined =>
  /^[\w./-]+$/.test(name) && name !== '-' ? `[${name}]` : quoted(name)

const quoted = (text: string): string | undefined => (/^[^"\\]+$/.test(text) ? `["${text}"]` : undefined)

/**
 * Parses a pattern of `allowedOverridePaths` or `deniedOverridePaths`, relative to `overrideSpec`. `*` matches one key,
 * `**` any number of steps, `{a,b}` either key, `["a.b/c"]` a key with dots. In lists `[*]` matches any item, `[+]` an
 * added one, `[-]` a removed one, `[cart]` the one with that key, `[0]` the first of a list without keys. Undefined if
 * `pattern` is not valid.
 */
export const parseOverridePath = (pattern: string): OverridePath | undefined => patternSteps(pattern)?.map(token)

function token(step: PatternStep): Token<PathStep> {
  switch (step.is) {
    case 'many':
      return 'many'
    case 'member': {
      const { keys } = step
      return (at) => at.is === 'member' && keys?.includes(at.key) !== false
    }
    case 'item': {
      const { name, became } = step
      if (became) return (at) => at.is === 'item' && at.became === became
      return (at) => at.is === 'item' && (name === undefined || at.names.includes(name))
    }
    case 'quoted':
      return (at) => (at.is === 'item' ? at.names : [at.key]).includes(step.name)
  }
}

/**
 * The place in `overrideSpec` that corresponds to `path` of the fork, in at most 256 characters. Items have their index
 * in the override, or if it does not mention them (as with a replaced list) their key: `containers[sidecar]`. A null
 * ends the path, because it removes everything below it.
 */
export function overrideField(path: readonly PathStep[], overrideSpec: unknown): string {
  let field = 'spec.overrideSpec'
  let value: unknown = overrideSpec
  for (const step of path) {
    if (value === null) break
    if (step.is === 'member') {
      field = formatPath(field, [step.key])
      value = member(value, step.key)
    } else {
      const items = listOr(value)
      const index = indexIn(items, step)
      field += `[${index ?? step.names[0] ?? step.index}]`
      value = index === undefined ? undefined : items[index]
    }
  }
  return shortened(field)
}

function indexIn(items: readonly unknown[], { keyed, index }: ItemStep): number | undefined {
  const place = keyed ? items.findIndex((item) => identityOf(item, keyed.keys) === keyed.identity) : index
  return place >= 0 && place < items.length ? place : undefined
}
