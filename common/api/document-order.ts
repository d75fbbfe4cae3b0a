import { formatStep, shortened } from './field-path.ts'
import { isObject, type JsonObject } from './object.ts'
import type { FieldError } from './types.ts'

/**
 * `errors` in the order in which a reader of `document` meets them; one about something missing stands with its
 * parent. Expects a document that `brokenLimits` has passed: it recurses.
 */
export function inDocumentOrder<E extends FieldError>(
  root: string,
  document: unknown,
  errors: readonly E[],
): readonly E[] {
  if (errors.length < 2) return errors
  const ranks = ranksOf(root, document)
  const ranked = errors.map((error, index) => ({ error, index, rank: rankOf(error.field, ranks) }))
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ error }) => error)
}

type Ranks = ReadonlyMap<string, number>

/** Of an override with thousands of mistakes they are asked for twice. Nobody writes to one. */
const RANKED = new WeakMap<object, { readonly root: string; readonly ranks: Ranks }>()

function ranksOf(root: string, document: unknown): Ranks {
  const known = isObject(document) ? RANKED.get(document) : undefined
  if (known?.root === root) return known.ranks
  const ranks = new Map<string, number>()
  visitFields(root, document, (field) => {
    ranks.set(field, ranks.size)
  })
  if (isObject(document)) RANKED.set(document, { root, ranks })
  return ranks
}

/** Shows every value in `document` with its path as messages have it. Recurses, as `inDocumentOrder`. */
export function visitFields(root: string, document: unknown, seen: (field: string, value: unknown) => void): void {
  const visit = (value: unknown, path: string): void => {
    seen(shortened(path), value)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) for (const [index, inner] of value.entries()) visit(inner, path + formatStep(index))
    else for (const key in value) visit((value as JsonObject)[key], path + formatStep(key))
  }
  visit(document, root)
}

/** Cuts a step, or a part of one, off the end until something of the document is left. */
function rankOf(field: string, ranks: Ranks): number {
  for (let at = field; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))) {
    const rank = ranks.get(at)
    if (rank !== undefined) return rank
  }
  return -1
}
