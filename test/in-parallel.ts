/** Calls `act` for each of `items`, `lanes` at a time. */
export async function inParallel<T>(
  lanes: number,
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values()
  const lane = async () => {
    for (const item of queue) await act(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
