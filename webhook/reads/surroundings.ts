import { ABSENT, type Known, known, knownOrAbsent, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { pathOf, RESOURCES } from '../../common/kube/client/resources.ts'
import type { Timers } from '../../common/program/clock.ts'
import { SingleFlight } from '../../common/program/single-flight.ts'
import { primaryOf, referrerOf } from '../../common/surroundings/hazards.ts'
import { type ForkAndSource, trafficInput } from '../../common/surroundings/pod-labels.ts'
import { serviceShares } from '../../common/surroundings/shares.ts'
import {
  type ServiceView,
  type SliceView,
  serviceView,
  sliceView,
  type Traffic,
} from '../../common/surroundings/traffic.ts'
import type { Surroundings } from '../../common/surroundings/traffic-report.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { readSource } from './facts.ts'
import { Neighbourhoods } from './neighbourhood.ts'
import { list, type Reader, unlessOver } from './reader.ts'

/** The client and the signal of one review. */
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
  readonly #neighbourhoods: Neighbourhoods
  readonly #services = new SingleFlight<readonly ServiceView[] | undefined>()
  readonly #slices = new SingleFlight<readonly SliceView[] | undefined>()

  /** `kube` must not be bound to the signal of one review: reads are shared. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#neighbourhoods = new Neighbourhoods(kube, timers)
  }

  /** What cannot be read in time is unknown. Reads only the EndpointSlices of Services that concern the fork. */
  async of(pair: ForkAndSource, { kube, signal }: ReviewScope): Promise<Surroundings> {
    const { kind, source, fork } = pair
    const { namespace = '' } = fork.metadata
    const [traffic, neighbourhood, primary] = await Promise.all([
      unlessOver(this.#trafficOf(namespace, pair), signal),
      unlessOver(this.#neighbourhoods.of(namespace), signal),
      source ? readPrimary(kube, kind, source) : ABSENT,
    ])
    const referrer = source && referrerOf(source, neighbourhood?.referring ?? [])
    return {
      traffic: traffic ? known(traffic) : unknown('the Services'),
      neighbours: neighbourhood?.neighbours
        ? known(neighbourhood.neighbours)
        : unknown('autoscalers, budgets and network policies'),
      primary,
      referrer: knownOrAbsent(referrer),
    }
  }

  async #trafficOf(namespace: string, pair: ForkAndSource): Promise<Traffic | undefined> {
    const services = await this.#servicesIn(namespace)
    if (services === undefined) return undefined
    const concerned = serviceShares({ services, slices: [] }, trafficInput(pair)).map(({ name }) => name)
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

/** The name of the workload that serves in place of `source`, if Flagger made one. */
async function readPrimary(kube: Reader, kind: WorkloadKind, source: KubeObject): Promise<Known<string>> {
  const name = primaryOf(source)
  if (name === undefined) return ABSENT
  const { namespace = '' } = source.metadata
  const found = await readSource(kube, kind, { namespace, name })
  return found.source.is === 'known' ? known(name) : found.source
}
