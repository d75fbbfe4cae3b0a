import type { Part } from './fitted.ts'

/** At most two names, and the number of the others: `a`, `a, b`, `a, b and 3 more`. */
export const listed = (names: readonly string[]): string => first(2, names)

/** All names as alternatives: `a`, `a or b`, `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  // British English, because the American list has a comma before `or`
  disjunction ??= new Intl.ListFormat('en-GB', { type: 'disjunction' })
  return disjunction.format(names)
}

/** Made when it is first needed: that takes as long as half of the start of Node. */
let disjunction: Intl.ListFormat | undefined

/** The most names of a list that are shown. */
const MAX_NAMES = 12

/** The first of `all` names as a part of a text: as many as fit, at most `most`, and the number of the others. */
export const shortenedList = (names: readonly string[], most = MAX_NAMES, all = names.length): Part => {
  const shown = Math.min(names.length, most)
  return Array.from({ length: shown }, (_, less) => first(shown - less, names, all))
}

function first(shown: number, names: readonly string[], all = names.length): string {
  const text = names.slice(0, shown).join(', ')
  return all <= shown ? text : `${text} and ${all - shown} more`
}
