import { isObject, type KubeObject, listOr, member } from '../common/api/object.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import { neighboursIn } from '../common/kube/neighbours.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import { primaryOf } from '../common/workload/hazards.ts'
import type { Reference, WorkloadKind } from '../common/workload/kind.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import { REFERRING_KINDS, referrerOf } from '../common/workload/referrer.ts'
import { type ServiceView, type SliceView, serviceView, sliceView } from '../common/workload/services.ts'

/** Of the API server only what a review reads. */
export type Reader = Pick<KubeClient, 'request'>

/** What is known of the source. `unread`: nobody can tell now, and the controller will see. */
export type SourceSeen =
  | { readonly is: 'found'; readonly source: KubeObject; readonly referents: readonly KubeObject[] }
  | { readonly is: 'absent' }
  | { readonly is: 'kindAbsent' }
  | { readonly is: 'unread' }

/** Each read ends within this, so that a review is answered before the API server's 5 s are over. */
const READ_MS = 2_000

/** The workload `name` in `namespace`, as it is now. Never throws for a failing API server. */
export async function lookAtSource(
  kube: Reader,
  kind: WorkloadKind,
  place: { readonly namespace: string; readonly name: string },
): Promise<SourceSeen> {
  try {
    const path = pathOf(kind, place)
    const source = await kube.request({ verb: 'get', path, expects: kind.kind, deadlineMs: READ_MS })
    if (!isKubeObject(source)) return { is: 'unread' }
    const referents = await Promise.all(
      kind.references(source).map((reference) => lookAtReferents(kube, place.namespace, reference)),
    )
    return { is: 'found', source, referents: referents.flat() }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    if (error.kind === 'kindAbsent') return { is: 'kindAbsent' }
    return error.kind === 'notFound' ? { is: 'absent' } : { is: 'unread' }
  }
}

/** What a source's template may be in. @throws KubeError other than `notFound` */
async function lookAtReferents(kube: Reader, namespace: string, reference: Reference): Promise<readonly KubeObject[]> {
  const { resource, name, labelSelector } = reference
  if (name === undefined) {
    const path = pathOf(resource, { namespace })
    const list = await kube.request({ verb: 'list', path, query: { labelSelector }, deadlineMs: READ_MS })
    return listOr(member(list, 'items')).filter(isKubeObject)
  }
  try {
    const found = await kube.request({ verb: 'get', path: pathOf(resource, { namespace, name }), deadlineMs: READ_MS })
    return isKubeObject(found) ? [found] : []
  } catch (error) {
    if (error instanceof KubeError && error.kind === 'notFound') return []
    throw error
  }
}

/** The Services of `namespace` that select pods; undefined if they cannot be read. */
export const lookAtServices = (kube: Reader, namespace: string): Promise<readonly ServiceView[] | undefined> =>
  list(kube, { path: pathOf(RESOURCES.Service, { namespace }), query: {}, view: serviceView })

/** The ready pods behind `services`; undefined if they cannot be read. */
export async function lookAtSlices(
  kube: Reader,
  namespace: string,
  services: readonly string[],
): Promise<readonly SliceView[] | undefined> {
  if (services.length === 0) return []
  const query = { labelSelector: `kubernetes.io/service-name in (${services.join(',')})` }
  return list(kube, { path: pathOf(RESOURCES.EndpointSlice, { namespace }), query, view: sliceView })
}

/** Who else acts on pods of `namespace`; undefined if that cannot be read. */
export const lookAtNeighbours = (kube: Reader, namespace: string): Promise<Neighbours | undefined> =>
  neighboursIn(kube, namespace, READ_MS)

/** The name of the workload that serves in the place of `source`, if Flagger made one. */
export async function lookAtPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<string | undefined> {
  const name = primaryOf(source)
  if (name === undefined) return undefined
  const seen = await lookAtSource(kube, kind, { namespace: source.metadata.namespace ?? '', name })
  return seen.is === 'found' ? name : undefined
}

/** `rollout/cart`, if such a one takes its template from `source`; undefined also where nobody can tell. */
export async function lookAtReferrer(kube: Reader, source: KubeObject): Promise<string | undefined> {
  const { namespace = '' } = source.metadata
  const found = await Promise.all(
    REFERRING_KINDS.map(({ apiVersion, kind, ...of }) => {
      const path = pathOf({ apiVersion, kind, ...of }, { namespace })
      return list(kube, { path, query: {}, view: (item) => ({ ...item, apiVersion, kind }) }) // items of a list lack both
    }),
  )
  return referrerOf(
    source,
    found.flatMap((each) => each ?? []),
  )
}

interface Listing<View> {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly view: (object: KubeObject) => View | undefined
}

async function list<View>(kube: Reader, { path, query, view }: Listing<View>): Promise<readonly View[] | undefined> {
  try {
    // any version will do for a forecast, and one from the API server's memory costs etcd nothing
    const asked = { verb: 'list', path, query: { ...query, resourceVersion: '0' }, deadlineMs: READ_MS } as const
    const items = listOr(member(await kube.request(asked), 'items')).filter(isKubeObject)
    return items.flatMap((item) => view(item) ?? [])
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return undefined
  }
}

/** Items of a list lack `kind` and `apiVersion`; nothing here reads those. */
const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'
