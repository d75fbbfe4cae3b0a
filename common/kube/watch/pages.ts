import { Semaphore } from '../../program/semaphore.ts'
import type { KubeClient } from '../client/client.ts'

/** How many pages of lists are read at once. Each is in memory as bytes, as text and as objects for a moment. */
const MAX_PAGES = 2

/**
 * `client`, for reflectors that list at the same time: at the start, and when the versions of all of them have expired.
 * Pages wait for each other in the order of their requests. That wait is not part of the deadline of a page, so a slow
 * page makes the others late, but does not make them fail. A request whose signal aborts in the wait throws its reason.
 */
export function withFewPages(client: KubeClient): KubeClient {
  const pages = new Semaphore(MAX_PAGES)
  return {
    request: (request) =>
      request.verb === 'list' ? pages.run(() => client.request(request), request.signal) : client.request(request),
    stream: (stream) => client.stream(stream),
    close: () => client.close(),
  }
}
