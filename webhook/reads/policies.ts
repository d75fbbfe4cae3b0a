import { type Known, known, unknown } from '../../common/api/known.ts'
import { type PolicyFacts, policyFacts } from '../../common/plan/facts.ts'
import type { ExperimentPolicy, NamespaceView } from '../../common/policy/policy.ts'

/** The policies of the cluster, and the namespaces that they select. */
export interface PolicySource {
  /** undefined until they have been read */
  policies(): readonly ExperimentPolicy[] | undefined
  /** undefined if it cannot be read now */
  namespace(name: string): Promise<NamespaceView | undefined>
}

/** The namespaces of an experiment and of its source. */
export interface Namespaces {
  readonly own: string
  readonly source: string
}

const NOT_READ = unknown('the policies of this cluster')

/** The facts with which policies evaluate an experiment, without the other experiments that limits count. */
export async function readPolicyFacts({ own, source }: Namespaces, from: PolicySource): Promise<Known<PolicyFacts>> {
  const policies = from.policies()
  if (policies === undefined) return NOT_READ
  // Without policies no label matters, so no namespace is read.
  const view = async (name: string) => (policies.length === 0 ? { name, labels: {} } : from.namespace(name))
  const [namespace, sourceNamespace] = await Promise.all([view(own), own === source ? undefined : view(source)])
  if (!namespace || (own !== source && !sourceNamespace)) return NOT_READ
  return known(policyFacts(policies, namespace, sourceNamespace ?? namespace))
}
