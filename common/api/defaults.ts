import type { ExperimentDeployment, ExperimentDeploymentSpec, OverrideType } from './types.ts'

/** The values of `spec.overrideType`. The enum of the CRD is generated from them. */
export const OVERRIDE_TYPES: readonly OverrideType[] = ['Merge', 'Strategic']

/** The values of `spec.onSourceChange`. */
export const SOURCE_CHANGES: readonly string[] = ['Follow', 'Pin']

/** The defaults of the CRD, for resources that are older than a default. The webhook shows them in `kubectl diff`. */
export const DEFAULTS = { replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' } as const

/** `spec` with all defaults filled in. */
export const withDefaults = (spec: ExperimentDeploymentSpec) => ({ ...DEFAULTS, ...spec })

/** The namespace of the source: the one that `sourceRef` names, or else that of `experiment`. */
export const sourceNamespaceOf = ({ metadata, spec }: ExperimentDeployment): string =>
  spec.sourceRef.namespace ?? metadata.namespace
