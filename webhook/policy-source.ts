import { EXPERIMENT_POLICY } from '../common/api/names.ts'
import type { ExperimentPolicy } from '../common/api/policy.ts'
import { Reflector, type ReflectorOptions } from '../common/kube/reflector.ts'
import type { PolicySource } from './look.ts'
import { Namespaces, type NamespacesOptions } from './namespaces.ts'
import { DECISIVE_MS } from './reader.ts'

/** The policies of the cluster, to be started. */
export const policyReflector = (options: Omit<ReflectorOptions<ExperimentPolicy>, 'view' | 'project'>) =>
  new Reflector<ExperimentPolicy>({
    ...options,
    view: { resource: EXPERIMENT_POLICY, managedFields: 'none' },
    project: (object) => object as ExperimentPolicy, // the CRD's schema vouches for the shape
  })

/** Policies as `reflector` has them, and namespaces as of a minute ago at most. Where the kind is absent there are none. */
export function policySource(
  reflector: Pick<Reflector<ExperimentPolicy>, 'hasSynced' | 'list'>,
  { client, timers }: Pick<NamespacesOptions, 'client' | 'timers'>,
): PolicySource {
  const namespaces = new Namespaces({ client, timers, deadlineMs: DECISIVE_MS })
  return {
    policies: () => (reflector.hasSynced ? reflector.list() : undefined),
    namespace: (name) => namespaces.of(name),
  }
}
