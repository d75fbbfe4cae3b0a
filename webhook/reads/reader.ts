import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { MAX_LIST_BYTES, type Query } from '../../common/kube/client/request.ts'
import { unlessAborted } from '../../common/program/deadline.ts'
import { Semaphore } from '../../common/program/semaphore.ts'
import { SingleFlight } from '../../common/program/single-flight.ts'

/** The part of the client that reviews use. */
export type Reader = Pick<KubeClient, 'request'>

/** The longest time of one read, in milliseconds. Every read also ends when its review ends. */
export const READ_MS = 2_000

/**
 * The longest time, in milliseconds, of reads without which the request must be refused: permissions and policies. They
 * get almost all the time of a review, because a late answer of a busy API server is better than a refusal.
 */
export const DECISIVE_MS = 4_000

/** How many lists are read at once. Together with `MAX_LIST_BYTES` this limits the memory. */
const MAX_LISTS = 8

/** `kube` with limits on the length of lists and on their number at once, however many objects a namespace has. */
export function bounded(kube: Reader): Reader {
  const gate = new Semaphore(MAX_LISTS)
  return {
    async request(request) {
      if (request.verb !== 'list') return kube.request(request)
      try {
        return await gate.run(() => kube.request({ maxBytes: MAX_LIST_BYTES, ...request }), request.signal)
      } catch (error) {
        throw notSent(error, request.signal)
      }
    },
  }
}

/**
 * `kube` whose equal requests share one answer, except lists. Each answer comes from a read that began after the
 * requests that share it, so a revoked permission counts at once. 200 reviews of one source by one user cost as much as
 * two.
 * @throws what `kube` throws; `unreachable` if the signal of a request aborts first. Its deadline still ends the read
 */
export function sharing(kube: Reader): Reader {
  const flights = new SingleFlight<unknown>()
  return {
    async request(given) {
      if (given.verb === 'list') return kube.request(given)
      const { signal, ...request } = given
      try {
        signal?.throwIfAborted() // begin no read for which nobody waits
        return await unlessAborted(
          flights.of(JSON.stringify(request), () => kube.request(request)),
          signal,
        )
      } catch (error) {
        throw notSent(error, signal)
      }
    },
  }
}

/** The error for a request whose `signal` aborted before it was sent, or `error` if that is another one. */
const notSent = (error: unknown, signal: AbortSignal | undefined): unknown =>
  error instanceof KubeError || !signal?.aborted
    ? error
    : new KubeError({ kind: 'unreachable', message: 'not answered in time' }, { cause: error })

/** The time limit of a review, in milliseconds, and the signal that aborts when the review ends. */
interface ReviewTime {
  readonly limitMs: number
  readonly signal: AbortSignal
}

/**
 * `kube` with a deadline for every request: the end of the review, or earlier, so that dependent reads have time left.
 */
export const within = (kube: Reader, { limitMs, signal }: ReviewTime): Reader => {
  const deadlineMs = Math.min(READ_MS, limitMs / 2)
  return { request: (request) => kube.request({ deadlineMs, signal, ...request }) }
}

interface Listing<View> {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly view: (object: KubeObject) => View | undefined
}

/** The results of `view` for each item, without undefined ones; undefined if the list cannot be read. */
export async function listViews<View>(
  kube: Reader,
  { path, query, view }: Listing<View>,
): Promise<readonly View[] | undefined> {
  return ifReadable(async () => {
    const answer = await kube.request({ verb: 'list', path, query: { ...query, ...CACHED }, deadlineMs: READ_MS })
    return itemsIn(answer).flatMap((item) => view(item) ?? [])
  })
}

/** Warnings may use slightly old data, and a list from the cache of the API server costs etcd nothing. */
const CACHED = { resourceVersion: '0' }

async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return undefined
  }
}

/** A table has one short row for each object, instead of the object. */
export const AS_TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'

/** The list at `path` as a table of what `kubectl get -o wide` prints; undefined if it cannot be read. */
export async function table(kube: Reader, path: string, query: Query): Promise<unknown> {
  const asked = { includeObject: 'None', ...query, ...CACHED }
  return ifReadable(() => kube.request({ verb: 'list', path, query: asked, accept: AS_TABLE, deadlineMs: READ_MS }))
}

interface Paged<View> extends Listing<View> {
  /** objects per page */
  readonly limit: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * Like `list`, but reads page by page, and from etcd. @throws KubeError; `invalid` if a page is longer than `maxBytes`
 */
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

/** The value of `promise`; undefined if `signal` aborts first. */
export async function unlessOver<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await unlessAborted(promise, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

const itemsIn = (answer: unknown): readonly KubeObject[] => listOr(at(answer, 'items')).filter(isKubeObject)

/** Whether `value` is an object with a name. `kind` and `apiVersion` may be missing, as in items of a list. */
export const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
