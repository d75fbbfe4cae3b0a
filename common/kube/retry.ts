import { at } from '../api/object.ts'
import type { Random } from '../clock.ts'
import type { KubeError } from './errors.ts'
import type { KubeRequest } from './request.ts'

/** Upper ends of the waits before the second and third try. Longer troubles are for the key's backoff. */
const WAITS_MS = [100, 400]

/** A `Retry-After` over this goes back with the error: a worker never sleeps. */
const LONGEST_RETRY_AFTER_MS = 2_000

interface Tried {
  readonly failure: KubeError
  readonly request: KubeRequest
  /** so far */
  readonly tries: number
  readonly random: Random
}

/** Milliseconds until `request` is tried again, or undefined: it is not. Full jitter. */
export function retryDelay({ failure, request, tries, random }: Tried): number | undefined {
  const longestMs = WAITS_MS[tries - 1]
  const askedMs = failure.retryAfterMs ?? 0
  if (longestMs === undefined || askedMs > LONGEST_RETRY_AFTER_MS) return undefined
  const isWorthIt =
    failure.kind === 'throttled' // refused before anything was done, whatever it was
      ? askedMs > 0
      : (failure.kind === 'unreachable' || failure.status === 503) && isRepeatable(request)
  return isWorthIt ? Math.max(askedMs, longestMs * random()) : undefined
}

/** Done twice, it does no more than once. */
function isRepeatable({ verb, body }: KubeRequest): boolean {
  switch (verb) {
    case 'get':
    case 'list':
    case 'apply':
      return true
    case 'delete': // without a uid the second one may meet a namesake
      return at(body, 'preconditions', 'uid') !== undefined
    case 'create':
    case 'update':
    case 'patch':
      return false
  }
}
