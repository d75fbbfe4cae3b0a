/** The message of what `act` throws. */
export function messageOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`
  }
  throw new Error('nothing was thrown')
}
