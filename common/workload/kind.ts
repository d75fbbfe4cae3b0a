import type { KubeObject, Labels, ResourceType } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { JsonObject } from '../json/json.ts'
import type { OverrideBan } from '../override/rules.ts'

/** Whether a workload is ready, and why not. The reason is for people: code depends on the other members. */
export type Health = Ready | Progressing | Unready | Stalled

interface ForPeople {
  readonly reason: Reason
  readonly message: string
}
interface Ready extends ForPeople {
  readonly is: 'ready'
  /** set if it should have no pods */
  readonly isEmpty?: true
}
interface Progressing extends ForPeople {
  readonly is: 'progressing'
  /** after this time the health may change without an event */
  readonly recheckAfterMs?: number
  /** set if its controller has not seen the last write */
  readonly isUnseen?: true
}
/** Not ready on purpose, such as paused. */
interface Unready extends ForPeople {
  readonly is: 'unready'
}
interface Stalled extends ForPeople {
  readonly is: 'stalled'
  /** set if it exceeded its progress deadline */
  readonly isOverdue?: true
}

/** An object in the source's namespace that the base depends on, by name or by labels. */
export type Reference = { readonly resource: ResourceType } & (
  | { readonly name: string; readonly labelSelector?: undefined }
  | { readonly name?: undefined; readonly labelSelector: string }
)

type Fields = Readonly<Record<string, unknown>>

/** The pod template that a fork starts from. `base`: for a Rollout, `Desired` while there is no stable revision. */
export type Template =
  | { readonly is: 'found'; readonly template: Fields; readonly base?: 'Stable' | 'Desired' }
  | { readonly is: 'missing'; readonly message: string }

/** How requests reach the pods of a workload, apart from the labels of its template. */
export interface PodReach {
  /** labels that the workload controller adds to pods that serve traffic */
  readonly added: (workload: KubeObject) => Labels
  /** whether one of its pods has this label, which differs from pod to pod */
  readonly hasPerPodLabel: (workload: KubeObject, key: string, value: string) => boolean
  /** whether requests are divided by something other than the number of endpoints */
  readonly isRouted: (workload: KubeObject) => boolean
  /** names of Services that the workload controller limits to one revision */
  readonly pinnedServices: (workload: KubeObject) => readonly string[]
}

/** Everything that differs between kinds of workload. Pure. */
export interface WorkloadKind extends ResourceType {
  /** the fields of the source's `spec` that a fork inherits besides the template; all others are left out */
  readonly inheritedSpec: (spec: Fields) => Fields
  /** fields of a fork's `spec` that are the same for every fork, unless the override changes them */
  readonly fixedSpec: JsonObject
  /** labels of the source itself that a fork inherits */
  readonly inheritedLabels: readonly string[]
  /** fields of `spec` that can be updated; undefined: all except the selector */
  readonly mutableFields: readonly string[] | undefined
  readonly bans: readonly OverrideBan[]
  readonly podReach: PodReach
  /** the objects that `template` needs besides the source */
  readonly references: (source: KubeObject) => readonly Reference[]
  readonly template: (source: KubeObject, referents: readonly KubeObject[]) => Template
  /** the object that a workload takes its template from; reads only what `watchProjection` keeps */
  readonly refersTo?: (workload: KubeObject) => { readonly resource: ResourceType; readonly name: string } | undefined
  /**
   * the kind of object in which the workload controller keeps templates, of which a fork may get one. Nobody can say
   * from which object such a template once came, so a requester must have permission to get all of them.
   */
  readonly keepsTemplatesIn?: ResourceType
  /** the kinds of object that `refersTo` may name */
  readonly referents?: readonly ResourceType[]
  /**
   * annotations of a source that the watch keeps: all on which the base, its fingerprint or the status depends
   */
  readonly watchedAnnotations: readonly string[]
  /** what the watch keeps of a source besides its metadata; undefined: the watch requests metadata only */
  readonly watchProjection: ((source: KubeObject) => Fields) | undefined
  /** a text that changes whenever the base may change; reads only what `watchProjection` keeps */
  readonly baseFingerprint: (source: KubeObject) => string
  /** the generation that the workload controller has observed, 0 if none */
  readonly observedGeneration: (fork: KubeObject) => number
  /**
   * whether the workload controller writes the spec of a fork too. It then owns fields that it wrote in another form,
   * and server-side apply can no longer take them away.
   */
  readonly isSpecRewritten: boolean
  /**
   * the `spec` of a fork with the defaults that follow from other fields, so that the controller owns them; where the
   * spec is replaced, it is as it was
   */
  readonly withOwnedDefaults: (spec: Fields) => Fields
  /** whether its spec has `progressDeadlineSeconds` */
  readonly hasProgressDeadline: boolean
  /** how long the workload controller may take to observe a write; undefined: no limit, every cluster has one */
  readonly controllerTimeoutMs: number | undefined
  /** whether only Events tell that the pods of a fork are refused, because its status does not */
  readonly tellsRefusalsInEvents: boolean
  /** the health of a fork with replicas whose current generation is observed */
  readonly health: (fork: KubeObject, sinceAppliedMs: number) => Health
  /** the group and version with a PodTemplateSpec, if the schema of the kind does not describe its `template` well */
  readonly templateFrom?: string
  /** how many pods of the source its own rollout takes down at once */
  readonly takesDown: (source: KubeObject) => number
  /** how many more pods than `spec.replicas` a workload has at once during its own rollout */
  readonly surge: (workload: KubeObject) => number
  /** whether its own rollout creates a pod only when the one that it replaces has ended */
  readonly waitsForEnd: (workload: KubeObject) => boolean
  /**
   * the field of the source because of which a change of its template does not reach all of its pods; undefined: none
   */
  readonly holdsBack: (source: KubeObject) => string | undefined
  /**
   * the status that makes the workload controller skip the steps of its own; undefined while it has none to skip
   */
  readonly skippingSteps?: (source: KubeObject) => JsonObject | undefined
  /** what a person can do while steps of its own hold the source; undefined: none do */
  readonly heldBySteps?: (source: KubeObject) => string | undefined
  /** the name of the source's current revision, if the kind has one */
  readonly revision: (source: KubeObject) => string | undefined
  /** labels that only those pods of the source have that are of its stable revision; undefined: all are compared */
  readonly stablePods?: (source: KubeObject) => Labels
  /** whether the revision of the present generation is known yet; always true where the watched metadata have it */
  readonly isRevisionKnown: (source: KubeObject) => boolean
}

/** A source, and the other objects that may contain its template. */
export interface Source {
  readonly object: KubeObject
  readonly referents: readonly KubeObject[]
}
