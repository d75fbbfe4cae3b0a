import type { Answer, DenialStatus } from './admission-review.ts'

/** The reasons of apimachinery for the HTTP status codes of our denials. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
}

/** A refusal that is not about fields of the object. `code` is an HTTP status, as in a `Status` of apimachinery. */
export const deniedAnswer = (code: number, message: string): Answer => {
  // The API server turns this into the header Retry-After. Without it kubectl does not try again.
  const details = code === 429 ? { details: { retryAfterSeconds: 1 } } : {}
  const status: DenialStatus = { code, reason: REASONS[code] ?? 'InternalError', message, ...details }
  return { allowed: false, status }
}
