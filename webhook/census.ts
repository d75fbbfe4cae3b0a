import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { sharesSourcesWith } from '../common/api/policy.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { Timers } from '../common/clock.ts'
import { startDeadline } from '../common/deadline.ts'
import { KubeError } from '../common/kube/errors.ts'
import { pathOf } from '../common/kube/resources.ts'
import type { Asked } from './asked.ts'
import { decodeExperiment } from './decode.ts'
import { FreshReadings } from './fresh-readings.ts'
import { countedBy, type Rules } from './policies.ts'
import { DECISIVE_MS, listPages, MAX_LIST_BYTES, type Reader, unlessOver } from './reader.ts'

/**
 * Experiments a page. Their authors decide how long they are: at best all are one page; five of the longest that etcd
 * takes, 1.5 MiB each, are always one.
 */
const PAGES = [
  { limit: 100, maxBytes: MAX_LIST_BYTES },
  { limit: 5, maxBytes: 2 * MAX_LIST_BYTES },
]

/** Namespaces that are read one by one; of more the whole cluster is asked, strangers' included. */
const MAX_CONSENTING = 8

/** Some experiments: those of one namespace or of all, of one source or of any. */
interface District {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/** The experiments that limits count. What they override is not kept. */
export class Census {
  readonly #kube: Reader
  readonly #timers: Timers
  readonly #readings = new FreshReadings<readonly ExperimentDeployment[] | undefined>()

  /** `kube` is nobody's in particular: the end of one review must not be that of another's reading. */
  constructor(kube: Reader, timers: Timers) {
    this.#kube = kube
    this.#timers = timers
  }

  /** All that a limit of `rules` counts beside what is `asked`; undefined if they cannot be read before `signal`. */
  async beside(asked: Asked, rules: Rules, signal: AbortSignal): Promise<readonly ExperimentDeployment[] | undefined> {
    const found = await Promise.all(
      districtsOf(asked, rules).map((district) => {
        const key = JSON.stringify(district)
        return unlessOver(
          this.#readings.of(key, () => this.#read(district)),
          signal,
        )
      }),
    )
    const all = new Map<string, ExperimentDeployment>()
    for (const part of found) {
      if (!part) return undefined
      for (const each of part) all.set(each.metadata.uid, each)
    }
    return [...all.values()]
  }

  async #read(district: District): Promise<readonly ExperimentDeployment[] | undefined> {
    const deadline = startDeadline(this.#timers, DECISIVE_MS)
    try {
      for (const page of PAGES) {
        const found = await this.#pages(district, page, deadline.signal)
        if (found !== 'tooLong') return found
      }
      return undefined
    } finally {
      deadline.end()
    }
  }

  async #pages(district: District, page: (typeof PAGES)[number], signal: AbortSignal) {
    try {
      return await listPages(this.#kube, { ...district, ...page, view: asCounted, signal })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return error.kind === 'invalid' ? 'tooLong' : undefined
    }
  }
}

/** Where the experiments are that the limits of `rules` count: in a namespace whose consent is missing there are none. */
function districtsOf({ request, kind, place }: Asked, rules: Rules): readonly District[] {
  const ofSource = { fieldSelector: `spec.sourceRef.kind=${kind.kind},spec.sourceRef.name=${place.name}` }
  const counted = countedBy(rules)
  const own = { path: pathIn(request.namespace), query: counted.namespace ? {} : ofSource }
  if (!counted.source) return [own]
  const consenting = consentingTo(rules)
  if (consenting.length > MAX_CONSENTING) return [own, { path: pathOf(EXPERIMENT_DEPLOYMENT), query: ofSource }]
  const others = [rules.sourceNamespace.name, ...consenting].filter((name) => name !== request.namespace)
  return [own, ...others.map((namespace) => ({ path: pathIn(namespace), query: ofSource }))]
}

const pathIn = (namespace: string): string => pathOf(EXPERIMENT_DEPLOYMENT, { namespace })

/** The other namespaces whose experiments may be of sources in that of the source. */
function consentingTo({ policies, sourceNamespace }: Rules): readonly string[] {
  const named = new Set(policies.flatMap(({ spec }) => spec.allowSourcesFrom ?? []))
  named.delete(sourceNamespace.name)
  return [...named].filter((name) => sharesSourcesWith(policies, sourceNamespace, name))
}

const asCounted = (object: KubeObject): ExperimentDeployment | undefined => {
  const decoded = decodeExperiment(object, object.metadata.namespace ?? '')
  if (decoded.is === 'malformed') return undefined
  const { metadata, spec, ...rest } = decoded.experiment
  const { deletionTimestamp } = object.metadata
  return {
    ...rest,
    metadata: { ...metadata, ...(deletionTimestamp ? { deletionTimestamp } : {}) },
    spec: { ...spec, overrideSpec: {} },
  }
}
