import type { KubeObject } from '../common/api/object.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import { primaryOf } from '../common/workload/hazards.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import type { Scene } from '../common/workload/outlook.ts'
import { referrerOf } from '../common/workload/referrer.ts'
import { type ServiceView, type SliceView, serviceShares, serviceView, sliceView } from '../common/workload/services.ts'
import { sidesOf } from '../common/workload/sides.ts'
import type { Asked } from './asked.ts'
import { lookAtSource, type Seen } from './look.ts'
import type { Neighbourhoods } from './neighbourhood.ts'
import { list, type Reader } from './reader.ts'

/** Where to read what surrounds a fork. */
interface Staging {
  readonly kube: Reader
  readonly neighbourhoods: Neighbourhoods
}

/** What surrounds the fork today. Of EndpointSlices only those of Services that concern it. */
export async function sceneOf({ kube, neighbourhoods }: Staging, asked: Asked, seen: Seen, fork: KubeObject) {
  const { kind, place } = asked
  const { namespace } = place
  const { source, referents } = seen.source.is === 'found' ? seen.source : NOTHING
  const [services, { neighbours, referring }, primary] = await Promise.all([
    lookAtServices(kube, namespace),
    neighbourhoods.of(namespace),
    source && lookAtPrimary(kube, kind, source),
  ])
  const referrer = source && referrerOf(source, referring)
  const scene: Scene = { pair: { kind, source, referents, fork }, traffic: undefined, neighbours, primary, referrer }
  if (services === undefined) return scene
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

/** The name of the workload that serves in the place of `source`, if Flagger made one. */
async function lookAtPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<string | undefined> {
  const name = primaryOf(source)
  if (name === undefined) return undefined
  const seen = await lookAtSource(kube, kind, { namespace: source.metadata.namespace ?? '', name })
  return seen.is === 'found' ? name : undefined
}
