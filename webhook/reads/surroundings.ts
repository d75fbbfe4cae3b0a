import { ABSENT, type Known, known, knownOrAbsent, unknown } from '../../common/api/known.ts'
import { type KubeObject, orUnread, partedByRead, type UnreadView } from '../../common/api/object.ts'
import { watchedPart } from '../../common/fork/watched.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { neighboursIn } from '../../common/kube/reads/neighbours.ts'
import type { Timers } from '../../common/program/clock.ts'
import { CostBoundedCache } from '../../common/program/cost-bounded-cache.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'
import { selectorDeclaredBy } from '../../common/strategy/declared.ts'
import { primaryOf, REFERRING_KINDS, referrerOf } from '../../common/surroundings/hazards.ts'
import type { Neighbours } from '../../common/surroundings/neighbours.ts'
import { type ForkAndSource, trafficInput } from '../../common/surroundings/pod-labels.ts'
import { concernedServices } from '../../common/surroundings/shares.ts'
import {
  type ServiceView,
  type SliceView,
  serviceView,
  sliceView,
  type TrafficView,
} from '../../common/surroundings/traffic.ts'
import type { Surroundings } from '../../common/surroundings/traffic-report.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { readSource } from './facts.ts'
import { listViews, READ_MS, type Reader, unlessOver } from './reader.ts'

/** The longer a list, the more costs its reading: one of 1,000 endpoints is read about once in a second. */
const KEPT_MS_PER_ITEM = 1
/** So the reviews of one `kubectl apply` share a list, however short it is. */
const LEAST_KEPT_MS = 250
/** The plan misses a Service that was created since. */
const MOST_KEPT_MS = 2_000

/** The most names of Services in a selector, which is a part of the URL. */
const MAX_NAMES = 32

const keptMs = (items: number | undefined): number =>
  items === undefined ? 0 : Math.min(MOST_KEPT_MS, Math.max(LEAST_KEPT_MS, items * KEPT_MS_PER_ITEM))

interface ReviewScope {
  /** its requests end when `signal` aborts */
  readonly kube: Reader
  readonly signal: AbortSignal
}

/** The value for a review that wants no fork and therefore reads nothing. */
export const NO_SURROUNDINGS: Surroundings = {
  traffic: unknown('no fork is wanted'),
  neighbours: unknown('no fork is wanted'),
  primary: ABSENT,
  referrer: ABSENT,
}

/** Reads the objects that affect the pods of a fork. Concurrent reviews share the reads. */
export class SurroundingsReader {
  readonly #kube: Reader
  readonly #neighbourhoodOf: ReturnType<typeof neighbourhoodReader>
  readonly #services: CostBoundedCache<readonly (ServiceView | UnreadView)[] | undefined>
  readonly #slices: CostBoundedCache<readonly (SliceView | UnreadView)[] | undefined>

  /** `kube` must not be bound to the signal of one review: reads are shared. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#services = new CostBoundedCache(timers, (services) => keptMs(services?.length))
    this.#slices = new CostBoundedCache(timers, (slices) =>
      keptMs(slices?.reduce((sum, slice) => sum + ('ready' in slice ? slice.ready.length : 1), 0)),
    )
    this.#neighbourhoodOf = neighbourhoodReader(kube, timers)
  }

  /** What cannot be read in time is unknown. Reads the EndpointSlices of Services that concern the fork. */
  async of(pair: ForkAndSource, { kube, signal }: ReviewScope): Promise<Surroundings> {
    const { kind, source, fork } = pair
    const { namespace = '' } = fork.metadata
    const [traffic, neighbourhood, primary] = await Promise.all([
      unlessOver(this.#trafficOf(namespace, pair), signal),
      unlessOver(this.#neighbourhoodOf(namespace), signal),
      source ? readPrimary(kube, kind, source) : ABSENT,
    ])
    return {
      traffic: traffic ? known(traffic) : unknown('the Services'),
      neighbours: neighboursOf(neighbourhood),
      primary,
      referrer: knownOrAbsent(source && referrerOf(source, neighbourhood?.referring ?? [])),
    }
  }

  /**
   * The neighbours in `namespace` alone, as they are now: the controller sizes a preview by them, an autoscaler keeps a
   * source from getting smaller, and they may be from the same `kubectl apply`. `of` does not read them again.
   */
  async neighbours(namespace: string, { signal }: ReviewScope): Promise<Known<Neighbours>> {
    return neighboursOf(await unlessOver(this.#neighbourhoodOf(namespace, 0), signal))
  }

  async #trafficOf(namespace: string, pair: ForkAndSource): Promise<TrafficView | undefined> {
    const path = resourcePath(RESOURCES.Service, { namespace })
    const listed = await this.#services.of(path, () =>
      listViews(this.#kube, { path, query: {}, view: orUnread('service', reviewedService) }),
    )
    if (listed === undefined) return undefined
    const { read: services, unread: others } = partedByRead<ServiceView>(listed)
    const found = await this.#slicesOf(namespace, concernedServices({ services, slices: [] }, trafficInput(pair)))
    if (found === undefined) return undefined
    const slices = partedByRead<SliceView>(found)
    const unread = [...others, ...slices.unread]
    return { services, slices: slices.read, ...(unread.length > 0 ? { unread } : {}) }
  }

  /** The slices of `services`, or if these are too many for a selector, all of the namespace. */
  async #slicesOf(namespace: string, services: readonly string[]) {
    if (services.length === 0) return []
    const path = resourcePath(RESOURCES.EndpointSlice, { namespace })
    const labelSelector = `kubernetes.io/service-name in (${services.toSorted().join(',')})`
    const query: Readonly<Record<string, string>> = services.length > MAX_NAMES ? {} : { labelSelector }
    const read = () => listViews(this.#kube, { path, query, view: orUnread('endpointslice', sliceView) })
    return this.#slices.of(`${path} ${Object.values(query)}`, read)
  }
}

/** The name of the workload that serves in place of `source`, if Flagger made one. */
async function readPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<Known<string>> {
  const name = primaryOf(source)
  if (name === undefined) return ABSENT
  const { namespace = '' } = source.metadata
  const found = await readSource(kube, kind, { namespace, name })
  return found.source.is === 'known' ? known(name) : found.source
}

/** The objects of a namespace that many reviews need and that change rarely. */
interface Neighbourhood {
  /** undefined where they could not be read */
  readonly neighbours: Neighbours | undefined
  /** workloads that may take their template from another workload, as a watch keeps them: whole ones are megabytes */
  readonly referring: readonly KubeObject[]
}

/** The projection of a Service, with who declares its selector. */
function reviewedService(service: KubeObject): ServiceView | undefined {
  const [view, declaredBy] = [serviceView(service), selectorDeclaredBy(service)]
  return view && declaredBy !== undefined ? { ...view, declaredBy } : view
}

const neighboursOf = (of: Neighbourhood | undefined): Known<Neighbours> =>
  of?.neighbours ? known(of.neighbours) : unknown('autoscalers, budgets and network policies')

/** How long a neighbourhood is cached: 200 experiments of one `kubectl apply` share one read. */
const KEPT_MS = 10_000

/**
 * Returns a function that reads a namespace, at most every ten seconds unless a caller wants it newer. It does not
 * reject if the API server fails.
 */
export function neighbourhoodReader(kube: Reader, timers: Pick<Timers, 'now'>) {
  const remembered = new TtlCache<Neighbourhood>(timers, KEPT_MS)
  const read = async (namespace: string) => {
    const [neighbours, ...referring] = await Promise.all([
      neighboursIn(kube, namespace, READ_MS),
      ...REFERRING_KINDS.map((kind) => {
        const { apiVersion } = kind // items of a list have none
        const view = (item: KubeObject) => watchedPart(kind, { ...item, apiVersion })
        return listViews(kube, { path: resourcePath(kind, { namespace }), query: {}, view })
      }),
    ])
    const value = { neighbours, referring: referring.flatMap((each) => each ?? []) }
    return { value, isLasting: neighbours !== undefined }
  }
  return (namespace: string, maxAgeMs = KEPT_MS): Promise<Neighbourhood> =>
    remembered.of(namespace, () => read(namespace), maxAgeMs)
}
