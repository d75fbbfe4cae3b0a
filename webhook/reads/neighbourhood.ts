import type { KubeObject } from '../../common/api/object.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { neighboursIn } from '../../common/kube/reads/neighbours.ts'
import type { Timers } from '../../common/program/clock.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'
import { REFERRING_KINDS } from '../../common/surroundings/hazards.ts'
import type { Neighbours } from '../../common/surroundings/neighbours.ts'
import { list, READ_MS, type Reader } from './reader.ts'

/** The objects of a namespace that many reviews need and that change rarely. */
export interface Neighbourhood {
  /** undefined where they could not be read */
  readonly neighbours: Neighbours | undefined
  /** workloads that may take their template from another workload */
  readonly referring: readonly KubeObject[]
}

/** How long a neighbourhood is cached: 200 experiments of one `kubectl apply` share one read. */
const KEPT_MS = 10_000

/** Neighbourhoods by namespace, at most ten seconds old. Concurrent callers share one read. */
export class Neighbourhoods {
  readonly #kube: Reader
  readonly #remembered: TtlCache<Neighbourhood>

  /** `kube` must not be bound to the signal of one review: reads are shared. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#remembered = new TtlCache(timers, KEPT_MS)
  }

  /** The number of cached namespaces. */
  get size(): number {
    return this.#remembered.size
  }

  /** Does not reject if the API server fails. */
  of(namespace: string): Promise<Neighbourhood> {
    return this.#remembered.of(namespace, async () => {
      const value = await neighbourhoodOf(this.#kube, namespace)
      return { value, isLasting: value.neighbours !== undefined }
    })
  }
}

async function neighbourhoodOf(kube: Reader, namespace: string): Promise<Neighbourhood> {
  const [neighbours, ...referring] = await Promise.all([
    neighboursIn(kube, namespace, READ_MS),
    ...REFERRING_KINDS.map(({ apiVersion, kind, plural }) => {
      const path = pathOf({ apiVersion, kind, plural }, { namespace })
      // items of a list have neither apiVersion nor kind
      return list(kube, { path, query: {}, view: (item): KubeObject => ({ ...item, apiVersion, kind }) })
    }),
  ])
  return { neighbours, referring: referring.flatMap((each) => each ?? []) }
}
