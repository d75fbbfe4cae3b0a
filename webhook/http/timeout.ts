/** The timeout of our webhook configurations in seconds. A longer one there makes no answer later. */
const LONGEST_S = 5
/** The time for sending the answer back. */
const REST_MS = 500

/**
 * The milliseconds in which a review must be decided. The API server writes its timeout into the URL:
 * `/validate?timeout=5s`. Without it, the timeout of our configurations applies.
 */
export function timeoutMs(url: string): number {
  const [, seconds] = /[?&]timeout=(\d{1,3})s(?:&|$)/.exec(url) ?? []
  const waitsS = seconds === undefined ? LONGEST_S : Math.min(Math.max(Number(seconds), 1), LONGEST_S)
  return waitsS * 1_000 - REST_MS
}
