import type { JsonObject } from '../json/json.ts'
import type { AnalysisSpec, AnalysisStatus } from './analysis/analysis.ts'
import type { KubeObject, ObjectMeta } from './object.ts'
import type { Reason } from './reasons.ts'
import type { PromotionSpec, PromotionStatus, Strategy, StrategyRunStatus, TrafficSpec } from './strategy.ts'

/** The workload beside the resource that is forked. */
export interface SourceRef {
  readonly kind: string
  readonly name: string
  /** default: the resource's own */
  readonly namespace?: string
}

/** How an override is laid over its base: by RFC 7386, or by list keys and unions as well. */
export type OverrideType = 'Merge' | 'Strategic'

declare const BOUNDED: unique symbol

/**
 * A partial `spec` of the source's kind that is within `OVERRIDE_LIMITS`. Only `decodeExperiment` makes one of what
 * users send.
 */
export type BoundedOverride = JsonObject & { readonly [BOUNDED]: true }

/** As users write it: what has a default may be absent (a resource can be older than the default). */
export interface ExperimentDeploymentSpec {
  readonly sourceRef: SourceRef
  readonly replicas?: number
  readonly overrideType?: OverrideType
  readonly overrideSpec: BoundedOverride
  readonly onSourceChange?: string
  /** from `creationTimestamp` */
  readonly ttlSeconds?: number
  /** absent: one fork with `replicas` pods */
  readonly strategy?: Strategy
  /** which pods of a fork with a strategy get requests */
  readonly traffic?: TrafficSpec
  /** what follows the steps; also without a strategy */
  readonly promotion?: PromotionSpec
  /** whether the fork is worse than the source, and what follows; also without a strategy */
  readonly analysis?: AnalysisSpec
}

/** A condition in the status of one of our resources, as in `metav1.Condition`. */
export interface Condition {
  readonly type:
    | 'Ready'
    | 'Progressing'
    | 'SourceResolved'
    | 'TrafficShared'
    | 'PolicyCompliant'
    | 'Stalled'
    | 'Paused'
    | 'Promoted'
    | 'CutOver'
    | 'TooFewPods'
    | 'AnalysisComplete'
    | 'AnalysisPassed'
    | 'Valid'
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  /** absent in the status that the API server gives to a new resource */
  readonly observedGeneration?: number
  /** RFC 3339, whole seconds; moves only with `status` */
  readonly lastTransitionTime: string
}

/** A Service that concerns the experiment, and whether its requests reach the fork. */
export interface ServiceShare {
  readonly name: string
  readonly selected: boolean
  /** why not, or what is special */
  readonly reason?: Reason
  readonly message?: string
  /** of the ready endpoints, whole percent, or `<1%`; absent where the Service has none */
  readonly share?: string
  readonly experimentEndpoints: number
  /** all of the Service, the experiment's included */
  readonly readyEndpoints: number
}

/** A warning about the fork. It blocks nothing. With `[reason] ` before it, it has at most 256 characters. */
export interface Warning {
  readonly reason: Reason
  readonly message: string
}

/** The fork: `status.experimentResourceRef`. */
export interface ExperimentResourceRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** what our last apply returned: another one means that another client changed the fork */
  readonly generation: number
  /** the whole hash of what was applied; absent: it has none yet. Any client can remove it from the fork */
  readonly wholeHash?: string
}

/** The source from which the fork was last derived: `status.source`. */
export interface SourceStatus {
  readonly uid: string
  /** where the base last changed */
  readonly generation: number
  readonly revision?: string
  readonly templateHash: string
  /** of a Rollout: the template that serves traffic, or the wanted one where none does */
  readonly base?: 'Stable' | 'Desired'
  /** the fork keeps the base it started from, in a ControllerRevision */
  readonly pinned?: boolean
}

/** The status of an experiment. Only the controller writes it. */
export interface ExperimentDeploymentStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
  readonly experimentResourceRef?: ExperimentResourceRef
  readonly replicas?: number
  readonly readyReplicas?: number
  /** label selector in text form, for the scale subresource */
  readonly selector?: string
  readonly source?: SourceStatus
  readonly services?: readonly ServiceShare[]
  /** one for each reason, in a fixed order */
  readonly warnings?: readonly Warning[]
  readonly sourceName?: string
  readonly share?: string
  readonly image?: string
  /** `1/1`: ready and wanted pods */
  readonly pods?: string
  /** the fields that the override changes, without values */
  readonly changes?: string
  /** RFC 3339: since when a Service of the source has no other ready endpoints */
  readonly aloneSince?: string
  /** the memory of the run of `spec.strategy` */
  readonly strategy?: StrategyRunStatus
  readonly promotion?: PromotionStatus
  readonly analysis?: AnalysisStatus
  /** the policies that the experiment violates, by name, at most 8; absent: none, or it is not known */
  readonly violatedPolicies?: readonly string[]
  /** RFC 3339: creationTimestamp + ttlSeconds */
  readonly expiresAt?: string
}

/** An experiment, as the API server stores it. */
export interface ExperimentDeployment extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace: string; readonly uid: string; readonly generation: number }
  readonly spec: ExperimentDeploymentSpec
  readonly status?: ExperimentDeploymentStatus
  /** what is wrong with an override beyond `OVERRIDE_LIMITS`, which is replaced by an empty one */
  readonly overrideErrors?: readonly FieldError[]
}

/** Where the mistake is, as the user wrote the path, and what to do about it. */
export interface FieldError {
  /** `spec.overrideSpec.template.spec.containers[0].image` */
  readonly field: string
  readonly message: string
  readonly cause: FieldErrorCause
}

/** The cause types of apimachinery's `metav1.CauseType` that we use. */
export type FieldErrorCause =
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
