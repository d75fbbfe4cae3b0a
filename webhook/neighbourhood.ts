import type { KubeObject } from '../common/api/object.ts'
import type { Timers } from '../common/clock.ts'
import { neighboursIn } from '../common/kube/neighbours.ts'
import { pathOf } from '../common/kube/resources.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import { REFERRING_KINDS } from '../common/workload/referrer.ts'
import { list, READ_MS, type Reader } from './reader.ts'
import { Remembered } from './remembered.ts'

/** Of a namespace what many reviews need and few people change. */
export interface Neighbourhood {
  /** undefined where they could not be read */
  readonly neighbours: Neighbours | undefined
  /** workloads that may take their template from another */
  readonly referring: readonly KubeObject[]
}

/** How long what was read is good for: two hundred experiments of one `kubectl apply` read it once. */
const KEPT_MS = 10_000

/** Neighbourhoods by namespace, as of ten seconds ago at most; whoever asks while one is read shares the reading. */
export class Neighbourhoods {
  readonly #kube: Reader
  readonly #remembered: Remembered<Neighbourhood>

  /** `kube` is nobody's in particular: the end of one review must not be that of another's reading. */
  constructor(kube: Reader, timers: Pick<Timers, 'now'>) {
    this.#kube = kube
    this.#remembered = new Remembered(timers, KEPT_MS)
  }

  /** Namespaces that are remembered. */
  get size(): number {
    return this.#remembered.size
  }

  /** Never rejects for a failing API server. */
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
      // items of a list lack both
      return list(kube, { path, query: {}, view: (item): KubeObject => ({ ...item, apiVersion, kind }) })
    }),
  ])
  return { neighbours, referring: referring.flatMap((each) => each ?? []) }
}
