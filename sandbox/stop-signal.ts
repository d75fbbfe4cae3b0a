/** A signal that is aborted when a user stops this process, for example with Ctrl-C. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))
  return stopping.signal
}

/** Keeps this process running until `signal` is aborted. Never rejects. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const awake = setInterval(() => undefined, 2 ** 30)
  await aborted(signal).catch(() => undefined)
  clearInterval(awake)
}

/** The result of `work`. @throws the reason of `signal` as soon as it is aborted, although `work` goes on */
export const settledOrAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  Promise.race([work, aborted(signal)])

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
