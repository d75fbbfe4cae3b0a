import type { Path } from '../api/field-path.ts'
import type { JsonObject, KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ResourceType } from '../api/resource.ts'
import type { FieldError, OverrideType } from '../api/types.ts'
import type { Known } from './known.ts'
import type { Shape } from './shape.ts'

/** How a fork does, as its kind tells it. */
export type Health = { readonly reason: Reason; readonly message: string } & (
  | { readonly is: 'ready' }
  /** `lookAgainMs`: when time alone may change the answer */
  | { readonly is: 'progressing'; readonly lookAgainMs?: number }
  /** as somebody asked for, and yet not ready */
  | { readonly is: 'unready' }
  | { readonly is: 'stalled' }
)

/** Another object that the base of a fork is taken from, in the source's namespace: by name, or by labels. */
export type Reference = { readonly resource: ResourceType } & (
  | { readonly name: string; readonly labelSelector?: undefined }
  | { readonly name?: undefined; readonly labelSelector: string }
)

/** The pod template that a fork starts from. */
export type Template =
  | {
      readonly is: 'found'
      readonly template: Readonly<Record<string, unknown>>
      /** of a Rollout: what serves traffic, or what is wanted where nothing does yet */
      readonly base?: 'Stable' | 'Desired'
    }
  | { readonly is: 'missing'; readonly message: string }

/** A place in `overrideSpec` that means something a fork cannot have. */
export interface OverrideBan {
  readonly path: readonly string[]
  readonly message: string
}

export type Labels = Readonly<Record<string, string>>

/** How requests and peers find the pods of a workload, as far as its template does not say. */
export interface Reach {
  /** labels that its controller adds to those of its pods that serve */
  readonly added: (workload: KubeObject) => Labels
  /** whether one of its pods has the label, which differs from pod to pod */
  readonly wears: (workload: KubeObject, key: string, value: string) => boolean
  /** whether something other than the number of endpoints decides how many requests reach its pods */
  readonly isRouted: (workload: KubeObject) => boolean
  /** Services that its controller points at one revision of it */
  readonly pinnedServices: (workload: KubeObject) => readonly string[]
  /** whether its pods have lasting names, by which they find each other */
  readonly hasPeers: boolean
}

type Spec = Readonly<Record<string, unknown>>

/** What differs between kinds of workload, and nothing else. Pure. */
export interface WorkloadKind extends ResourceType {
  /** of the source's `spec` what a fork takes over beside its template; all else, known or not, stays behind */
  readonly takeOver: (spec: Spec) => Spec
  /** members of a fork's `spec` that are ours, before the override is laid over them */
  readonly fixed: JsonObject
  /** annotations of the source itself that its fork needs */
  readonly kept: readonly string[]
  /** members of `spec` that an update may change; undefined: all but the selector */
  readonly mutable: readonly string[] | undefined
  readonly bans: readonly OverrideBan[]
  readonly reach: Reach
  /** what `template` has to see beside the source */
  readonly references: (source: KubeObject) => readonly Reference[]
  readonly template: (source: KubeObject, referents: readonly KubeObject[]) => Template
  /** of what the watch keeps: the object that a workload takes its template from, in kinds that can */
  readonly refersTo?: (workload: KubeObject) => { readonly resource: ResourceType; readonly name: string } | undefined
  /** of a source what its watch keeps; undefined: metadata alone crosses the wire */
  readonly watched: ((source: KubeObject) => KubeObject) | undefined
  /** of what the watch keeps: a text that changes whenever the base may have */
  readonly pulse: (source: KubeObject) => string
  /** the generation that the kind's controller has seen, 0 if none */
  readonly observedGeneration: (fork: KubeObject) => number
  /** how long the kind's controller may say nothing at all; undefined: it belongs to every cluster */
  readonly silentAfterMs: number | undefined
  /** of a fork that has replicas and whose controller has seen its present generation */
  readonly health: (fork: KubeObject, sinceAppliedMs: number) => Health
  /**
   * where to take the schema of `template` from, if the kind's own knows too little of it: every document of the API
   * server that holds a PodTemplateSpec will do
   */
  readonly templateFrom?: string
  /** a name people know the source's present state by, if the kind has one */
  readonly revision: (source: KubeObject) => string | undefined
}

/** A mistake, and the way to it below the spec. */
export interface SpecError extends FieldError {
  readonly path: Path
}

/** What the running cluster says a kind's `spec` may hold. */
export interface SpecSchema {
  /** changes with the schema */
  readonly hash: string
  /** which lists merge by key, and what excludes what */
  readonly shape: Shape
  /** every mistake of a partial spec, by path below `spec.overrideSpec`; Merge wants the items of all lists whole */
  readonly check: (overrideSpec: JsonObject, type: OverrideType) => readonly FieldError[]
  /** every mistake of a whole spec, by path below `spec`: nothing required may be missing, nothing may be null */
  readonly checkWhole: (spec: JsonObject) => readonly SpecError[]
  /** of kinds whose `template` has another schema than their own: what their own knows of it */
  readonly template?: Known
}
