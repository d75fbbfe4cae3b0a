/** The longest wait: a provider is asked again after this time, even if it demands a longer one. */
const LONGEST_MS = 3_600_000

/** The preferred format of dates in HTTP (RFC 9110): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * The milliseconds that a header `Retry-After` asks to wait, at most an hour. Undefined without a header that can be
 * read, and for a time that is over.
 */
export function retryAfterMs(header: string | readonly string[] | undefined, now: Date): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,20}$/.test(header)
    ? 1_000 * Number(header)
    : DATE.test(header)
      ? Date.parse(header) - now.getTime()
      : Number.NaN
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined
}
