import { isObject, type KubeObject, listOr, member } from '../common/api/object.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'

/** Of the API server only what a review reads. */
export type Reader = Pick<KubeClient, 'request'>

/** Each read ends within this, in milliseconds; all of them with the review. */
export const READ_MS = 2_000

/**
 * What a refusal would hang on, rights and policies, is worth all the time of a review but for a rest: on a busy API
 * server a change is rather admitted late than refused.
 */
export const DECISIVE_MS = 4_000

/** `kube`, of which every request ends with `signal`, or by itself in time. */
export const within = (kube: Reader, signal: AbortSignal): Reader => ({
  request: (request) => kube.request({ deadlineMs: READ_MS, signal, ...request }),
})

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
    const asked = { verb: 'list', path, query: { ...query, resourceVersion: '0' } } as const
    const items = listOr(member(await kube.request(asked), 'items')).filter(isKubeObject)
    return items.flatMap((item) => view(item) ?? [])
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return undefined
  }
}

/** Items of a list lack `kind` and `apiVersion`; nothing here reads those. */
export const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
