import type { ExperimentDeploymentSpec, OverrideType } from './types.ts'

/** What `spec.overrideType` can be; the CRD's enum follows from it. */
export const OVERRIDE_TYPES: readonly OverrideType[] = ['Merge', 'Strategic']

/** What `spec.onSourceChange` can be. */
export const SOURCE_CHANGES: readonly string[] = ['Follow', 'Pin']

/** The CRD's defaults, once more: a resource can be older than they are, and the webhook shows them in `kubectl diff`. */
export const DEFAULTS = { replicas: 1, overrideType: 'Merge', onSourceChange: 'Follow' } as const

/** `spec` with every default filled in. */
export const withDefaults = (spec: ExperimentDeploymentSpec) => ({ ...DEFAULTS, ...spec })
