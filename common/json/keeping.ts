interface Kept<T> {
  readonly others: readonly unknown[]
  readonly result: T
}

/**
 * Keeps the last result of a pure function for each `key`, as long as that object is in use. The function is called
 * again if one of the `others` that its result depends on is another one. All are compared by identity, so they must
 * never change. A pass then computes only what has changed since the last one.
 */
export function keeping<T>() {
  const kept = new WeakMap<object, Kept<T>>()
  return (key: object, others: readonly unknown[], compute: () => T): T => {
    const known = kept.get(key)
    const isSame = known?.others.length === others.length && known.others.every((other, at) => other === others[at])
    if (known && isSame) return known.result
    const result = compute()
    kept.set(key, { others, result })
    return result
  }
}
