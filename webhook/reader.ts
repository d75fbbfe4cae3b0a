import { at, isObject, type KubeObject, listOr } from '../common/api/object.ts'
import { unlessAborted } from '../common/deadline.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import type { Query } from '../common/kube/request.ts'
import { Gate } from './gate.ts'

/** Of the API server only what a review reads. */
export type Reader = Pick<KubeClient, 'request'>

/** Each read ends within this, in milliseconds; all of them with the review. */
export const READ_MS = 2_000

/**
 * What a refusal would hang on, rights and policies, is worth all the time of a review but for a rest: on a busy API
 * server a change is rather admitted late than refused.
 */
export const DECISIVE_MS = 4_000

/**
 * An answer is parsed in one turn of the event loop, and whoever may write objects into a namespace has a say in how
 * long lists of them are. 2,000 Services of usual size, or 14,000 endpoints, fit.
 */
export const MAX_LIST_BYTES = 4 * 1024 * 1024

/** Lists that are on their way at once: with the bytes of each a bound of memory. */
const MAX_LISTS = 8

/** `kube`, of which lists are long and many within limits, whoever fills the namespaces. */
export function bounded(kube: Reader): Reader {
  const gate = new Gate(MAX_LISTS)
  return {
    async request(request) {
      if (request.verb !== 'list') return kube.request(request)
      try {
        return await gate.pass(() => kube.request({ maxBytes: MAX_LIST_BYTES, ...request }), request.signal)
      } catch (error) {
        if (error instanceof KubeError || !request.signal?.aborted) throw error
        throw new KubeError({ kind: 'unreachable', message: 'not asked in time' }, { cause: error })
      }
    },
  }
}

/** The time of a review, in milliseconds, and what says that it is over. */
export interface Span {
  readonly limitMs: number
  readonly signal: AbortSignal
}

/** `kube`, of which every request ends with the review, or by itself in time for what depends on it. */
export const within = (kube: Reader, { limitMs, signal }: Span): Reader => {
  const deadlineMs = Math.min(READ_MS, limitMs / 2)
  return { request: (request) => kube.request({ deadlineMs, signal, ...request }) }
}

interface Listing<View> {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly view: (object: KubeObject) => View | undefined
}

/** What `view` makes of each; undefined if they cannot be read. */
export async function list<View>(
  kube: Reader,
  { path, query, view }: Listing<View>,
): Promise<readonly View[] | undefined> {
  try {
    // any version will do for a forecast, and one from the API server's memory costs etcd nothing
    const asked = { ...query, resourceVersion: '0' }
    const answer = await kube.request({ verb: 'list', path, query: asked, deadlineMs: READ_MS })
    return itemsIn(answer).flatMap((item) => view(item) ?? [])
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return undefined
  }
}

interface Paged<View> extends Listing<View> {
  /** objects a page */
  readonly limit: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** The same of a list that is read page by page, as of now. @throws KubeError; `invalid` where a page is too long */
export async function listPages<View>(
  kube: Reader,
  { path, query, view, limit, maxBytes, signal }: Paged<View>,
): Promise<readonly View[]> {
  const found: View[] = []
  let page: Query | undefined = { ...query, limit }
  while (page) {
    const answer = await kube.request({ verb: 'list', path, query: page, maxBytes, signal })
    for (const item of itemsIn(answer)) {
      const seen = view(item)
      if (seen !== undefined) found.push(seen)
    }
    const next = at(answer, 'metadata', 'continue')
    page = typeof next === 'string' && next !== '' ? { ...query, limit, continue: next } : undefined
  }
  return found
}

/** What `promise` becomes; undefined where `signal` aborts before. */
export async function unlessOver<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await unlessAborted(promise, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

const itemsIn = (answer: unknown): readonly KubeObject[] => listOr(at(answer, 'items')).filter(isKubeObject)

/** Items of a list lack `kind` and `apiVersion`; nothing here reads those. */
export const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
