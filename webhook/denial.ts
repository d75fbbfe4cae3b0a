import type { Answer, DenialStatus } from './review.ts'

/** The reasons of apimachinery for the codes of our denials. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
}

/** A refusal that says nothing of the object. `code` is an HTTP status, as in a `Status` of apimachinery. */
export const denial = (code: number, message: string): Answer => {
  // the API server makes a Retry-After of it, without which kubectl does not try again
  const details = code === 429 ? { details: { retryAfterSeconds: 1 } } : {}
  const status: DenialStatus = { code, reason: REASONS[code] ?? 'InternalError', message, ...details }
  return { allowed: false, status }
}
