import type { JsonObject, KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ResourceType } from '../api/resource.ts'
import type { FieldError, OverrideType } from '../api/types.ts'
import type { Shape } from './shape.ts'

/** How a fork does, as its kind tells it. */
export type Health =
  | { readonly is: 'ready'; readonly reason: Reason; readonly message: string }
  | { readonly is: 'progressing'; readonly reason: Reason; readonly message: string }
  | { readonly is: 'stalled'; readonly reason: Reason; readonly message: string }

/** What differs between kinds of workload, and nothing else. Pure. */
export interface WorkloadKind extends ResourceType {
  /** members of the source's `spec` that a fork takes over; all others, known or not, stay behind */
  readonly copied: readonly string[]
  /** members of the fork's `spec` that are ours, laid over everything */
  readonly fixed: JsonObject
  /** of a fork that has replicas and whose controller has seen its present generation */
  readonly health: (fork: KubeObject) => Health
  /**
   * where to take the schema of `template` from, if the kind's own knows too little of it: every document of the API
   * server that holds a PodTemplateSpec will do
   */
  readonly templateFrom?: string
  /** a name people know the source's present state by, if the kind has one */
  readonly revision: (source: KubeObject) => string | undefined
}

/** What the running cluster says a kind's `spec` may hold. */
export interface SpecSchema {
  /** changes with the schema */
  readonly hash: string
  /** which lists merge by key, and what excludes what */
  readonly shape: Shape
  /** every mistake of a partial spec, by path below `spec.overrideSpec`; Merge wants the items of all lists whole */
  readonly check: (overrideSpec: JsonObject, type: OverrideType) => readonly FieldError[]
}
