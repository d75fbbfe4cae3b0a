import { formatStep, shortened } from './field-path.ts'
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
  const ranks = new Map<string, number>()
  visitFields(root, document, (field) => {
    ranks.set(field, ranks.size)
  })
  const ranked = errors.map((error, index) => ({ error, index, rank: rankOf(error.field, ranks) }))
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ error }) => error)
}

/** Shows every value in `document` with its path as messages have it. Recurses, as `inDocumentOrder`. */
export function visitFields(root: string, document: unknown, seen: (field: string, value: unknown) => void): void {
  const visit = (value: unknown, path: string): void => {
    seen(shortened(path), value)
    if (typeof value !== 'object' || value === null) return
    const isList = Array.isArray(value)
    for (const [key, inner] of Object.entries(value)) visit(inner, path + formatStep(isList ? Number(key) : key))
  }
  visit(document, root)
}

/** Cuts a step, or a part of one, off the end until something of the document is left. */
function rankOf(field: string, ranks: ReadonlyMap<string, number>): number {
  for (let at = field; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))) {
    const rank = ranks.get(at)
    if (rank !== undefined) return rank
  }
  return -1
}
