import { formatPath, type Path } from './field-path.ts'
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
  visit(document, [], (path) => {
    ranks.set(formatPath(root, path), ranks.size)
  })
  const ranked = errors.map((error, index) => ({ error, index, rank: rankOf(error.field, ranks) }))
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ error }) => error)
}

function visit(value: unknown, path: Path, seen: (path: Path) => void): void {
  seen(path)
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [key, inner] of Object.entries(value)) visit(inner, [...path, isList ? Number(key) : key], seen)
}

/** Cuts a step, or a part of one, off the end until something of the document is left. */
function rankOf(field: string, ranks: ReadonlyMap<string, number>): number {
  for (let at = field; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))) {
    const rank = ranks.get(at)
    if (rank !== undefined) return rank
  }
  return -1
}
