import { isObject, type KubeObject, listOr, member } from '../common/api/object.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import { neighboursIn } from '../common/kube/neighbours.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import type { Base } from '../common/workload/base.ts'
import { primaryOf } from '../common/workload/hazards.ts'
import { forkName } from '../common/workload/identity.ts'
import type { Reference, WorkloadKind } from '../common/workload/kind.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import type { Scene } from '../common/workload/outlook.ts'
import { isPinned, pinnedIn } from '../common/workload/pinned.ts'
import { REFERRING_KINDS, referrerOf } from '../common/workload/referrer.ts'
import { type ServiceView, type SliceView, serviceShares, serviceView, sliceView } from '../common/workload/services.ts'
import { sidesOf } from '../common/workload/sides.ts'
import { type Access, accessOf, type Need } from './access.ts'
import { type Asked, needsOf } from './asked.ts'

/** Of the API server only what a review reads. */
export type Reader = Pick<KubeClient, 'request'>

/** Each read ends within this; all of them with the review. */
const READ_MS = 2_000

/** `kube`, of which every request ends with `signal`, or by itself in time. */
export const within = (kube: Reader, signal: AbortSignal): Reader => ({
  request: (request) => kube.request({ deadlineMs: READ_MS, signal, ...request }),
})

/** What is known of the source. `unread`: nobody can tell now, and the controller will see. */
export type SourceSeen =
  | { readonly is: 'found'; readonly source: KubeObject; readonly referents: readonly KubeObject[] }
  | { readonly is: 'absent' }
  | { readonly is: 'kindAbsent' }
  | { readonly is: 'unread' }

/** What a review may know before it judges. */
export interface Seen {
  readonly access: Access
  /** what that access is to */
  readonly needs: readonly Need[]
  readonly source: SourceSeen
  /** what a pinned experiment started from */
  readonly pinned: Base | undefined
}

/** Reads all that does not depend on anything read, at once. */
export async function look(kube: Reader, asked: Asked): Promise<Seen> {
  const { request, kind, place } = asked
  const needs = needsOf(asked)
  const [access, source, pinned] = await Promise.all([
    accessOf(kube, request.userInfo, needs),
    lookAtSource(kube, kind, place),
    lookAtPinned(kube, asked),
  ])
  const more = access === 'granted' ? referentNeeds(asked, source) : []
  if (more.length === 0) return { source, pinned, access, needs }
  return { source, pinned, access: await accessOf(kube, request.userInfo, more), needs: more }
}

/** A template that is another object's is for those who may get that object too. */
function referentNeeds({ kind, place: { namespace } }: Asked, seen: SourceSeen): readonly Need[] {
  const target = seen.is === 'found' ? kind.refersTo?.(seen.source) : undefined
  return target ? [{ verb: 'get', resource: target.resource, namespace, name: target.name }] : []
}

/** The base that an update of a pinned experiment keeps; undefined where there is none, or nobody can tell. */
async function lookAtPinned(kube: Reader, { request, experiment }: Asked): Promise<Base | undefined> {
  if (request.operation === 'CREATE' || !isPinned(experiment)) return undefined
  const { sourceRef } = experiment.spec
  const { namespace, uid } = experiment.metadata
  const path = pathOf(RESOURCES.ControllerRevision, { namespace, name: forkName(sourceRef.name, uid) })
  try {
    const found = await kube.request({ verb: 'get', path })
    return isKubeObject(found) ? pinnedIn(experiment, found)?.base : undefined
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** The workload `name` in `namespace`, as it is now. Never throws for a failing API server. */
async function lookAtSource(
  kube: Reader,
  kind: WorkloadKind,
  place: { readonly namespace: string; readonly name: string },
): Promise<SourceSeen> {
  try {
    const path = pathOf(kind, place)
    const source = await kube.request({ verb: 'get', path, expects: kind.kind })
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
    const list = await kube.request({ verb: 'list', path, query: { labelSelector } })
    return listOr(member(list, 'items')).filter(isKubeObject)
  }
  try {
    const found = await kube.request({ verb: 'get', path: pathOf(resource, { namespace, name }) })
    return isKubeObject(found) ? [found] : []
  } catch (error) {
    if (error instanceof KubeError && error.kind === 'notFound') return []
    throw error
  }
}

interface Staged {
  readonly kind: WorkloadKind
  readonly seen: Seen
  readonly fork: KubeObject
  readonly namespace: string
}

/** What surrounds the fork today. Of EndpointSlices only those of Services that concern it. */
export async function sceneOf(kube: Reader, { kind, seen, fork, namespace }: Staged): Promise<Scene> {
  const { source, referents } = seen.source.is === 'found' ? seen.source : NOTHING
  const [services, neighbours, primary, referrer] = await Promise.all([
    lookAtServices(kube, namespace),
    lookAtNeighbours(kube, namespace),
    source && lookAtPrimary(kube, kind, source),
    source && lookAtReferrer(kube, source),
  ])
  const scene = { pair: { kind, source, referents, fork }, neighbours, primary, referrer }
  if (services === undefined) return { ...scene, traffic: undefined }
  const concerned = serviceShares({ services, slices: [] }, sidesOf(scene.pair)).map(({ name }) => name)
  const slices = await lookAtSlices(kube, namespace, concerned)
  return { ...scene, traffic: slices && { services, slices } }
}

const NOTHING = { source: undefined, referents: [] }

/** The Services of `namespace` that select pods; undefined if they cannot be read. */
const lookAtServices = (kube: Reader, namespace: string): Promise<readonly ServiceView[] | undefined> =>
  list(kube, { path: pathOf(RESOURCES.Service, { namespace }), query: {}, view: serviceView })

async function lookAtSlices(
  kube: Reader,
  namespace: string,
  services: readonly string[],
): Promise<readonly SliceView[] | undefined> {
  if (services.length === 0) return []
  const query = { labelSelector: `kubernetes.io/service-name in (${services.join(',')})` }
  return list(kube, { path: pathOf(RESOURCES.EndpointSlice, { namespace }), query, view: sliceView })
}

const lookAtNeighbours = (kube: Reader, namespace: string): Promise<Neighbours | undefined> =>
  neighboursIn(kube, namespace, READ_MS)

/** The name of the workload that serves in the place of `source`, if Flagger made one. */
async function lookAtPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<string | undefined> {
  const name = primaryOf(source)
  if (name === undefined) return undefined
  const seen = await lookAtSource(kube, kind, { namespace: source.metadata.namespace ?? '', name })
  return seen.is === 'found' ? name : undefined
}

/** `rollout/cart`, if such a one takes its template from `source`; undefined also where nobody can tell. */
async function lookAtReferrer(kube: Reader, source: KubeObject): Promise<string | undefined> {
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
    const asked = { verb: 'list', path, query: { ...query, resourceVersion: '0' } } as const
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
