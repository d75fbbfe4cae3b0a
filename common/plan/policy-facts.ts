import {
  applicable,
  type ExperimentPolicy,
  type NamespaceView,
  refusingConsent,
  sharesSourcesWith,
} from '../policy/policy.ts'
import type { PolicyFacts } from './facts.ts'

/** The policies of `all` for an experiment in `namespace` with a source in `sourceNamespace`, without other experiments. */
export const policyFacts = (
  all: readonly ExperimentPolicy[],
  namespace: NamespaceView,
  sourceNamespace: NamespaceView,
): PolicyFacts => ({
  policies: applicable(all, namespace, sourceNamespace),
  namespace,
  sourceNamespace,
  isShared: sharesSourcesWith(all, sourceNamespace, namespace.name),
  refusing: refusingConsent(all, sourceNamespace, namespace.name).map(({ metadata }) => metadata.name),
  others: [],
  othersAsOf: 0,
})
