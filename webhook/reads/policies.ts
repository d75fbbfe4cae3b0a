import { type Known, known, unknown } from '../../common/api/known.ts'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { type PolicyFacts, policyFacts } from '../../common/facts/facts.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { readNamespace } from '../../common/kube/reads/namespace.ts'
import { Reflector, type ReflectorOptions } from '../../common/kube/watch/reflector.ts'
import { decodePolicy } from '../../common/policy/decode.ts'
import {
  type ExperimentPolicy,
  isExcludedNamespace,
  type NamespaceView,
  type ServedNamespaces,
} from '../../common/policy/policy.ts'
import type { Timers } from '../../common/program/clock.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'
import { DECISIVE_MS, type Reader } from './reader.ts'

/** The policies of the cluster, and the namespaces that they select. */
export interface PolicySource {
  /** undefined until they have been read */
  policies(): readonly ExperimentPolicy[] | undefined
  /** undefined if it cannot be read now */
  namespace(name: string): Promise<NamespaceView | undefined>
  /** whether our webhook configurations exclude it */
  isExcluded(namespace: string): boolean
  /** the one namespace that this installation serves; undefined: all */
  readonly onlyNamespace?: string | undefined
}

/** While the policies are not known. */
export const UNREAD_POLICIES = unknown('the policies of this cluster')

/** The facts to judge an experiment in `own` with a source in `source`, without the other experiments that count. */
export async function readPolicyFacts(
  { own, source }: { readonly own: string; readonly source: string },
  from: PolicySource,
): Promise<Known<PolicyFacts>> {
  const policies = from.policies()
  if (policies === undefined) return UNREAD_POLICIES
  // Without policies no label matters, so no namespace is read.
  const view = async (name: string) => (policies.length === 0 ? { name, labels: {} } : from.namespace(name))
  const [namespace, sourceNamespace] = await Promise.all([view(own), own === source ? undefined : view(source)])
  if (!namespace || (own !== source && !sourceNamespace)) return UNREAD_POLICIES
  const isExcluded = (name: string) => from.isExcluded(name)
  return known(
    policyFacts(policies, {
      namespace,
      sourceNamespace: sourceNamespace ?? namespace,
      isExcluded,
      onlyNamespace: from.onlyNamespace,
    }),
  )
}

/** Only the log of the webhook tells of its watch. */
const UNCOUNTED = { onFailure: () => undefined, onHandlerError: () => undefined }

/** A reflector of the policies of the cluster. The caller starts it. */
export const policyReflector = (
  options: Omit<ReflectorOptions<ExperimentPolicy>, 'view' | 'project' | keyof typeof UNCOUNTED>,
) =>
  new Reflector<ExperimentPolicy>({
    ...options,
    view: { resource: EXPERIMENT_POLICY, managedFields: 'none' },
    project: decodePolicy,
    ...UNCOUNTED,
  })

/**
 * How long a namespace is cached, and therefore the longest delay until a policy applies to a newly labelled namespace.
 */
const KEPT_MS = 60_000

interface PolicySourceOptions extends ServedNamespaces {
  readonly client: Reader
  readonly timers: Pick<Timers, 'now'>
}

/**
 * The policies of `reflector`; none if the CRD is absent. Namespaces are at most a minute old, and concurrent callers
 * share one read. One that does not exist has only the label with its name, and is not cached.
 */
export function policySource(
  reflector: Pick<Reflector<ExperimentPolicy>, 'hasSynced' | 'list'>,
  { client, timers, ...installation }: PolicySourceOptions,
): PolicySource {
  const namespaces = new TtlCache<NamespaceView | undefined>(timers, KEPT_MS)
  const read = async (name: string) => {
    try {
      const { view, isThere } = await readNamespace(client, name, DECISIVE_MS)
      return { value: view, isLasting: isThere }
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return { value: undefined, isLasting: false }
    }
  }
  return {
    policies: () => (reflector.hasSynced ? reflector.list() : undefined),
    namespace: (name) => namespaces.of(name, () => read(name)),
    isExcluded: (name) => isExcludedNamespace(name, installation),
    onlyNamespace: installation.onlyNamespace,
  }
}
