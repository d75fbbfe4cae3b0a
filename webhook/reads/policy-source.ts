import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { Reflector, type ReflectorOptions } from '../../common/kube/watch/reflector.ts'
import { decodePolicy } from '../../common/policy/decode.ts'
import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import { Namespaces, type NamespacesOptions } from './namespaces.ts'
import type { PolicySource } from './policies.ts'
import { DECISIVE_MS } from './reader.ts'

/** A reflector of the policies of the cluster. The caller starts it. */
export const policyReflector = (options: Omit<ReflectorOptions<ExperimentPolicy>, 'view' | 'project'>) =>
  new Reflector<ExperimentPolicy>({
    ...options,
    view: { resource: EXPERIMENT_POLICY, managedFields: 'none' },
    project: decodePolicy,
  })

/** The policies of `reflector`, and namespaces that are at most a minute old. There are no policies if the CRD is absent. */
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
