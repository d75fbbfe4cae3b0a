/**
 * Whether two values are the same JSON. The order of keys does not matter, and an undefined member counts as absent.
 * Allocates nothing, since it compares whole specs. Recursive, so the nesting of the values must be bounded.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && areEqual(one, other)
  const [left, right] = [one as Members, other as Members]
  for (const key in left) if (!isEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}

type Members = Readonly<Record<string, unknown>>

const areEqual = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
