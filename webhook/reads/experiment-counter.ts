import { boundedOverride, decodeExperiment } from '../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { PolicyFacts } from '../../common/facts/facts.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { MAX_LIST_BYTES } from '../../common/kube/client/request.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asWholeObject } from '../../common/kube/reads/object.ts'
import { countScopeOf, sharesSourcesWith } from '../../common/policy/policy.ts'
import type { Timers } from '../../common/program/clock.ts'
import { startDeadline } from '../../common/program/deadline.ts'
import { SingleFlight } from '../../common/program/single-flight.ts'
import type { DecodedRequest } from '../review/request.ts'
import { DECISIVE_MS, listPages, type Reader, unlessOver } from './reader.ts'

/** The page sizes to try. 100 experiments usually fit, and five always, because etcd stores at most 1.5 MiB each. */
const PAGES = [
  { limit: 100, maxBytes: MAX_LIST_BYTES },
  { limit: 5, maxBytes: 2 * MAX_LIST_BYTES },
]

/** The most namespaces that are read one by one. For more, one list of the whole cluster is cheaper. */
const MAX_CONSENTING = 8

/** A list of experiments to read: of one namespace or of all, and of one source or of any. */
type ListScope = { readonly path: string; readonly query: Readonly<Record<string, string>> }

/** Reads the experiments that the limits of policies count. Does not keep their overrides. */
export class ExperimentCounter {
  readonly #kube: Reader
  readonly #timers: Timers
  readonly #readings = new SingleFlight<readonly ExperimentDeployment[] | undefined>()

  /** `kube` must not be bound to the signal of one review: reads are shared. */
  constructor(kube: Reader, timers: Timers) {
    this.#kube = kube
    this.#timers = timers
  }

  /** The other experiments that a limit counts; undefined if they cannot be read before `signal` aborts. */
  async others(
    decoded: DecodedRequest,
    facts: PolicyFacts,
    signal: AbortSignal,
  ): Promise<readonly ExperimentDeployment[] | undefined> {
    const found = await Promise.all(
      scopesOf(decoded, facts).map((scope) => {
        const reading = this.#readings.of(JSON.stringify(scope), () => this.#read(scope))
        return unlessOver(reading, signal)
      }),
    )
    if (found.includes(undefined)) return undefined
    const all = found.flatMap((part) => part ?? []).map((each) => [each.metadata.uid, each] as const)
    return [...new Map(all).values()]
  }

  async #read(scope: ListScope): Promise<readonly ExperimentDeployment[] | undefined> {
    const deadline = startDeadline(this.#timers, DECISIVE_MS)
    try {
      for (const page of PAGES)
        try {
          return await listPages(this.#kube, { ...scope, ...page, view: asCounted, signal: deadline.signal })
        } catch (error) {
          if (!(error instanceof KubeError)) throw error
          if (error.kind !== 'invalid') return undefined // otherwise a page is too long
        }
      return undefined
    } finally {
      deadline.end()
    }
  }
}

/** The lists with the experiments that the limits count. A namespace without consent cannot have any. */
function scopesOf({ request, kind, source }: DecodedRequest, facts: PolicyFacts): readonly ListScope[] {
  const ofSource = { fieldSelector: `spec.sourceRef.kind=${kind.kind},spec.sourceRef.name=${source.name}` }
  const counted = countScopeOf(facts.policies)
  const own = { path: pathIn(request.namespace), query: counted.namespace ? {} : ofSource }
  if (!counted.source) return [own]
  // in another namespace nothing may be read, and no experiment uses this source
  const consenting = facts.onlyNamespace === undefined ? consentingTo(facts) : []
  if (consenting.length > MAX_CONSENTING) return [own, { path: resourcePath(EXPERIMENT_DEPLOYMENT), query: ofSource }]
  const others = [facts.sourceNamespace.name, ...consenting].filter((name) => name !== request.namespace)
  return [own, ...others.map((namespace) => ({ path: pathIn(namespace), query: ofSource }))]
}

const pathIn = (namespace: string): string => resourcePath(EXPERIMENT_DEPLOYMENT, { namespace })

/** The other namespaces whose experiments may use sources in the namespace of the source. */
function consentingTo({ policies, sourceNamespace }: PolicyFacts): readonly string[] {
  const named = new Set(policies.flatMap(({ spec }) => spec.allowSourcesFrom ?? []))
  named.delete(sourceNamespace.name)
  return [...named].filter((name) => sharesSourcesWith(policies, sourceNamespace, name))
}

/** @throws KubeError for an experiment that is too large to be read: without it, the count would be too low */
const asCounted = (object: KubeObject): ExperimentDeployment | undefined => {
  const decoded = decodeExperiment(asWholeObject(object), object.metadata.namespace ?? '')
  if (decoded.is === 'malformed') return undefined
  const { spec, ...rest } = decoded.experiment
  return { ...rest, spec: { ...spec, overrideSpec: boundedOverride({}) } }
}
