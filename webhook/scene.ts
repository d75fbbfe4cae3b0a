import type { KubeObject } from '../common/api/object.ts'
import { neighboursIn } from '../common/kube/neighbours.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import { primaryOf } from '../common/workload/hazards.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import type { Scene } from '../common/workload/outlook.ts'
import { REFERRING_KINDS, referrerOf } from '../common/workload/referrer.ts'
import { type ServiceView, type SliceView, serviceShares, serviceView, sliceView } from '../common/workload/services.ts'
import { sidesOf } from '../common/workload/sides.ts'
import type { Asked } from './asked.ts'
import { lookAtSource, type Seen } from './look.ts'
import { list, READ_MS, type Reader } from './reader.ts'

/** What surrounds the fork today. Of EndpointSlices only those of Services that concern it. */
export async function sceneOf(kube: Reader, { kind, place }: Asked, seen: Seen, fork: KubeObject): Promise<Scene> {
  const { namespace } = place
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
