import { REVIEWED_REPLICAS } from './names.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec, OverrideType } from './types.ts'

/** The kinds that can be forked. The compiler requires an adapter for each of them in `common/workload`. */
export const SOURCE_KINDS = ['Deployment', 'StatefulSet', 'Rollout'] as const

/** The values of `spec.overrideType`. */
export const OVERRIDE_TYPES: readonly OverrideType[] = ['Merge', 'Strategic']

/** The values of `spec.onSourceChange`. */
export const SOURCE_CHANGES: readonly string[] = ['Follow', 'Pin']

/** The defaults of the CRD, for resources that are older than a default. The webhook shows them in `kubectl diff`. */
export const DEFAULTS = { replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' } as const

/** The most pods that a workload can have: its `replicas` is an int32. */
export const MAX_REPLICAS = 2 ** 31 - 1

/** `spec` with all defaults filled in. */
export const withDefaults = (spec: ExperimentDeploymentSpec) => ({ ...DEFAULTS, ...spec })

/** The namespace of the source: the one that `sourceRef` names, or else that of `experiment`. */
export const sourceNamespaceOf = ({ metadata, spec }: ExperimentDeployment): string =>
  spec.sourceRef.namespace ?? metadata.namespace

/**
 * The replicas that the fork may have: `spec.replicas`, but for a source in another namespace not more than were last
 * reviewed, because nobody checks the permissions of `kubectl scale` there. Without a review it is the default.
 */
export function allowedReplicas(experiment: ExperimentDeployment): number {
  const { replicas } = withDefaults(experiment.spec)
  if (sourceNamespaceOf(experiment) === experiment.metadata.namespace) return replicas
  const reviewed = experiment.metadata.annotations?.[REVIEWED_REPLICAS] ?? ''
  return Math.min(replicas, /^\d{1,10}$/.test(reviewed) ? Number(reviewed) : DEFAULTS.replicas)
}
