import { formatStep, shortened } from './field-path.ts'
import type { JsonObject } from './json.ts'

/**
 * Sorts `errors` by where their fields stand in `document`, whose name in them is `root`. An error about a missing
 * field stands with its parent, and one that is not about `document` comes first. Recursive: expects `brokenLimits` to
 * hold.
 */
export function inDocumentOrder<E extends { readonly field: string }>(
  root: string,
  document: unknown,
  errors: readonly E[],
): readonly E[] {
  if (errors.length < 2) return errors
  const ranks = new Map<string, number>()
  visitFields(root, document, (field) => ranks.set(field, ranks.size))
  const ranked = errors.map((error, index) => ({ error, index, rank: rankOf(error.field, ranks) }))
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ error }) => error)
}

/** Calls `seen` for `document` and every value in it, with its path as messages show it. Recursive. */
export function visitFields(root: string, document: unknown, seen: (field: string, value: unknown) => void): void {
  const visit = (value: unknown, path: string): void => {
    seen(shortened(path), value)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) for (const [index, inner] of value.entries()) visit(inner, path + formatStep(index))
    else for (const key in value) visit((value as JsonObject)[key], path + formatStep(key))
  }
  visit(document, root)
}

/** The rank of `field`, or of the nearest parent that is in the document; -1 if there is none. */
function rankOf(field: string, ranks: ReadonlyMap<string, number>): number {
  for (let at = field; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))) {
    const rank = ranks.get(at)
    if (rank !== undefined) return rank
  }
  return -1
}
