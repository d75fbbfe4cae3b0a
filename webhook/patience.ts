/** Longest wait of our configurations, in seconds; whoever raises it there gets no later answer. */
const LONGEST_S = 5
/** For the answer's way back. */
const REST_MS = 500

/**
 * Milliseconds in which a review must be decided whose caller waits as `url` says: `/validate?timeout=5s`, as the API
 * server writes it. Who says nothing waits as long as by our configuration.
 */
export function patienceMs(url: string): number {
  const [, seconds] = /[?&]timeout=(\d{1,3})s(?:&|$)/.exec(url) ?? []
  const waitsS = seconds === undefined ? LONGEST_S : Math.min(Math.max(Number(seconds), 1), LONGEST_S)
  return waitsS * 1_000 - REST_MS
}
