/** Computes a value when it is first needed, and only once. */
export function lazy<T>(compute: () => T): () => T {
  let found: { readonly value: T } | undefined
  return () => {
    found ??= { value: compute() }
    return found.value
  }
}

/** An object each of whose members is computed when it is first needed, and only once. */
export function lazily<T extends object>(members: { readonly [K in keyof T]: () => T[K] }): T {
  const computed = {} as T
  for (const [name, compute] of Object.entries<() => unknown>(members))
    Object.defineProperty(computed, name, { get: lazy(compute), enumerable: true })
  return computed
}
