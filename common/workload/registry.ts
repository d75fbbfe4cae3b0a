import type { SOURCE_KINDS } from '../api/defaults.ts'
import { deployment } from './deployment.ts'
import type { WorkloadKind } from './kind.ts'
import { rollout } from './rollout.ts'
import { statefulSet } from './stateful-set.ts'

/** Every kind that can be forked; the verified RBAC follows from it. */
export const WORKLOAD_KINDS = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  Rollout: rollout,
} satisfies Record<(typeof SOURCE_KINDS)[number], WorkloadKind>

/** The name of a kind that can be forked. */
export type SourceKind = keyof typeof WORKLOAD_KINDS

/** The adapter of `kind`, or undefined for a kind that cannot be forked. */
export const workloadKind = (kind: string): WorkloadKind | undefined =>
  Object.hasOwn(WORKLOAD_KINDS, kind) ? WORKLOAD_KINDS[kind as SourceKind] : undefined
