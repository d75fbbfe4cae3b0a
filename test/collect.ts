/** Everything that `source` yields. (`Array.fromAsync` is not in TypeScript's es2025.) */
export async function collect<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}
