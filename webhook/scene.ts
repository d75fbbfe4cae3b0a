import type { KubeObject } from '../common/api/object.ts'
import type { Timers } from '../common/clock.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import { primaryOf } from '../common/workload/hazards.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import type { Scene } from '../common/workload/outlook.ts'
import { referrerOf } from '../common/workload/referrer.ts'
import { type ServiceView, type SliceView, serviceShares, serviceView, sliceView } from '../common/workload/services.ts'
import { sidesOf } from '../common/workload/sides.ts'
import type { Asked } from './asked.ts'
import { FreshReadings } from './fresh-readings.ts'
import { lookAtSource, type Seen } from './look.ts'
import { Neighbourhoods } from './neighbourhood.ts'
import { list, type Reader, unlessOver } from './reader.ts'

/** A fork to be, and what was seen already. */
interface Subject {
  readonly asked: Asked
  readonly seen: Seen
  readonly fork: KubeObject
}

/** The time of one review. */
interface Stay {
  /** ends with `signal` */
  readonly kube: Reader
  readonly signal: AbortSignal
}

/** What surrounds forks today, read for all whose reviews ask for it at once. */
export class Scenes {
  readonly #kube: Reader
  readonly #neighbourhoods: Neighbourhoods
  readonly #services = new FreshReadings<readonly ServiceView[] | undefined>()
  readonly #slices = new FreshReadings<readonly SliceView[] | undefined>()

  /** `kube` is nobody's in particular: the end of one review must not be that of another's reading. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#neighbourhoods = new Neighbourhoods(kube, timers)
  }

  /** What could not be read in time is unknown. Of EndpointSlices only those of Services that concern the fork. */
  async of({ asked, seen, fork }: Subject, { kube, signal }: Stay): Promise<Scene> {
    const { kind, place } = asked
    const { namespace } = place
    const { source, referents } = seen.source.is === 'found' ? seen.source : NOTHING
    const pair = { kind, source, referents, fork }
    const [traffic, neighbourhood, primary] = await Promise.all([
      unlessOver(this.#trafficOf(namespace, pair), signal),
      unlessOver(this.#neighbourhoods.of(namespace), signal),
      source && lookAtPrimary(kube, kind, source),
    ])
    const referrer = source && referrerOf(source, neighbourhood?.referring ?? [])
    return { pair, traffic, neighbours: neighbourhood?.neighbours, primary, referrer }
  }

  async #trafficOf(namespace: string, pair: Scene['pair']): Promise<Scene['traffic']> {
    const services = await this.#servicesIn(namespace)
    if (services === undefined) return undefined
    const concerned = serviceShares({ services, slices: [] }, sidesOf(pair)).map(({ name }) => name)
    const slices = await this.#slicesOf(namespace, concerned)
    return slices && { services, slices }
  }

  /** The Services of `namespace` that select pods; undefined if they cannot be read. */
  #servicesIn(namespace: string): Promise<readonly ServiceView[] | undefined> {
    const path = pathOf(RESOURCES.Service, { namespace })
    return this.#services.of(path, () => list(this.#kube, { path, query: {}, view: serviceView }))
  }

  async #slicesOf(namespace: string, services: readonly string[]): Promise<readonly SliceView[] | undefined> {
    if (services.length === 0) return []
    const path = pathOf(RESOURCES.EndpointSlice, { namespace })
    const labelSelector = `kubernetes.io/service-name in (${services.join(',')})`
    const read = () => list(this.#kube, { path, query: { labelSelector }, view: sliceView })
    return this.#slices.of(`${path} ${labelSelector}`, read)
  }
}

const NOTHING = { source: undefined, referents: [] }

/** The name of the workload that serves in the place of `source`, if Flagger made one. */
async function lookAtPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<string | undefined> {
  const name = primaryOf(source)
  if (name === undefined) return undefined
  const seen = await lookAtSource(kube, kind, { namespace: source.metadata.namespace ?? '', name })
  return seen.is === 'found' ? name : undefined
}
