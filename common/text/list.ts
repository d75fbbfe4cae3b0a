/** At most two names, and the number of the others: `a`, `a, b`, `a, b and 3 more`. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 2).join(', ')
  return names.length <= 2 ? shown : `${shown} and ${names.length - 2} more`
}
