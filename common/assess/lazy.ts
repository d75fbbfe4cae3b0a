/** Computes a value when it is first needed, and only once. */
export function lazy<T extends object | string>(compute: () => T): () => T {
  let result: T | undefined
  return () => {
    result ??= compute()
    return result
  }
}
