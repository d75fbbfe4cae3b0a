import { at } from '../../json/json.ts'
import type { Random } from '../../program/clock.ts'
import type { KubeError } from './errors.ts'
import type { KubeRequest } from './request.ts'

/** The longest waits before the second and the third try. After that the backoff of the work queue takes over. */
const WAITS_MS = [100, 400]

/** A longer `Retry-After` is left to the caller, so that a worker does not sleep. */
const LONGEST_RETRY_AFTER_MS = 2_000

interface FailedTry {
  readonly failure: KubeError
  readonly request: KubeRequest
  /** how many there were so far */
  readonly tries: number
  readonly random: Random
}

/** Milliseconds until the next try, with full jitter; undefined if there is none. */
export function retryDelay({ failure, request, tries, random }: FailedTry): number | undefined {
  const longestMs = WAITS_MS[tries - 1]
  const askedMs = failure.retryAfterMs ?? 0
  if (longestMs === undefined || askedMs > LONGEST_RETRY_AFTER_MS) return undefined
  const isWorthIt =
    failure.kind === 'throttled' // the server has not begun, so any request may be repeated
      ? askedMs > 0
      : (failure.kind === 'unreachable' || failure.status === 503) && isRepeatable(request)
  return isWorthIt ? Math.max(askedMs, longestMs * random()) : undefined
}

/** Whether a repeated request has the effect of a single one. */
function isRepeatable({ verb, body }: KubeRequest): boolean {
  switch (verb) {
    case 'get':
    case 'list':
    case 'apply':
      return true
    case 'delete': // without a uid, the second may delete another object of that name
      return at(body, 'preconditions', 'uid') !== undefined
    case 'create':
    case 'update':
    case 'patch':
      return false
  }
}
