/** A minute. Whoever reads a terminal that is silent for longer thinks that it hangs. */
const EVERY_MS = 60_000

/**
 * What `wait` results in. Meanwhile it says every minute what is waited for: "still building etcd, for 3 min".
 * @throws what `wait` throws
 */
export async function patiently<T>(what: string, say: (line: string) => void, wait: Promise<T>): Promise<T> {
  let minutes = 0
  const timer = setInterval(() => say(`still ${what}, for ${++minutes} min`), EVERY_MS)
  try {
    return await wait
  } finally {
    clearInterval(timer)
  }
}
