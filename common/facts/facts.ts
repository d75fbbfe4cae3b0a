import type { AnalysisProvider } from '../analysis/kinds/provider.ts'
import type { AnalysisRun } from '../analysis/kinds/run.ts'
import type { RunTraffic } from '../analysis/kinds/run-traffic.ts'
import type { AnalysisTemplate } from '../analysis/kinds/template.ts'
import type { Poll } from '../analysis/run/poll.ts'
import { type Known, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { SpecSchema } from '../override/spec-schema.ts'
import {
  applicable,
  type ExperimentPolicy,
  type NamespaceView,
  refusingConsent,
  sharesSourcesWith,
} from '../policy/policy.ts'
import type { GatedPod } from '../strategy/gate.ts'
import type { DryRun } from '../strategy/promotion.ts'
import type { ForkAndSource } from '../surroundings/pod-labels.ts'
import type { SliceView } from '../surroundings/traffic.ts'
import type { Surroundings } from '../surroundings/traffic-report.ts'
import { twinName } from '../workload/identity.ts'
import type { Source, WorkloadKind } from '../workload/kind.ts'
import type { Decision } from './decision.ts'

/** Which of the optional components an installation has. Each program finds it out once, when it starts. */
export interface Components {
  /** whether a promotion may write sources */
  readonly promotion: boolean
  /** whether the pods of a fork may be kept without requests until the controller opens them */
  readonly gate: boolean
  /** whether the selector of a Service may be changed */
  readonly cutOver: boolean
  /** whether a fork may be compared with its source */
  readonly analysis: boolean
}

/** The facts that decide which fork is wanted: the input of `assess`. */
export interface SpecFacts {
  readonly now: Date
  readonly experiment: ExperimentDeployment
  readonly installed: Components
  /** absent: the cluster does not serve the kind; unknown: this version cannot fork it */
  readonly kind: Known<WorkloadKind>
  readonly schema: Known<SpecSchema>
  /** unknown also without consent, because then it must not be read */
  readonly source: Known<Source>
  /** the ControllerRevision that keeps the base of a pinned experiment */
  readonly revision: Known<KubeObject>
  /** another object that has the name of that ControllerRevision */
  readonly revisionHolder: KubeObject | undefined
  /** it belongs to the experiment by uid, label and field manager */
  readonly fork: Known<KubeObject>
  /** absent: the experiment neither has nor wants a twin; always absent in a review */
  readonly twin?: TwinFacts | undefined
  /** another object that has the name of the fork */
  readonly nameHolder: KubeObject | undefined
  /** unknown: the labels of a namespace cannot be read, so it is not known which policies apply */
  readonly policies: Known<PolicyFacts>
  /** whether the webhooks exclude the namespace of the experiment, so that no permissions were checked */
  readonly isExcluded: boolean
  /** what else touches the pods of the fork; a review reads the Services only when it has derived the fork */
  readonly surroundings: Surroundings
  /** absent without the component */
  readonly gate?: GateFacts | undefined
  /** absent without the component */
  readonly cutOver?: CutOverFacts | undefined
  /** absent without the component, and in a review also without an analysis */
  readonly analysis?: AnalysisFacts | undefined
  /** read only at the step of a run that writes the source */
  readonly promotion?: PromotionFacts | undefined
  /** absent: the experiment neither changes the size of its source nor has changed it; always absent in a review */
  readonly scaling?: ScalingFacts | undefined
  /** absent: the schema tells whether the source has the change; in a review always */
  readonly dryRun?: DryRun | undefined
}

/** Everything on which a plan may depend. The webhook collects it for one review, the controller for one pass. */
export interface Facts extends SpecFacts {
  /** why Kubernetes refused the last pod of the fork; absent: it did not, or the status of the fork says why */
  readonly podRefusal: Known<string>
  /** why pods of the fork are not ready; absent: no Event tells it, or they are ready; in a review always unknown */
  readonly podTrouble: Known<string>
  /** milliseconds until the fork may be repaired again, because another client keeps changing it; 0 or less: now */
  readonly driftBackoffMs: number
  /** milliseconds since the present step of the run began, as far as this process saw it; absent: it does not know */
  readonly stepElapsedMs?: number | undefined
  /** milliseconds until the fork no longer counts as contested, if no client changes it; 0: it is not contested */
  readonly contestedMs: number
  /** milliseconds since a pass of this process first found that the fork must leave; absent: none did */
  readonly leavingMs?: number | undefined
  /** the fork as this process last wrote it, while the status does not tell of that write; always absent in a review */
  readonly unreported?: WrittenGeneration | undefined
  /** what the API server refused in the last hour although it may accept it; always absent in a review */
  readonly refused?: RefusedFork | undefined
}

/** A refused fork about which the API server decides alone. It is not sent again until it or the schema changes. */
export interface RefusedFork {
  /** `of` of the doubt with which it was sent */
  readonly of: string
  readonly decision: Decision
}

/** One version of the spec of an object, which a write of ours made. */
export interface WrittenGeneration {
  readonly uid: string
  readonly generation: number
}

/** Whether nobody has changed the spec of `object` since the write that made `written`. */
export const isAsWritten = ({ metadata }: KubeObject, written: WrittenGeneration | undefined): boolean =>
  written !== undefined && written.uid === metadata.uid && written.generation === metadata.generation

/** The last write of the fork that is known: the status may not tell of it yet. */
export const lastWriteOf = (fork: KubeObject, { unreported, experiment }: Facts): WrittenGeneration | undefined =>
  isAsWritten(fork, unreported) ? unreported : experiment.status?.experimentResourceRef

/** As `lastWriteOf`, for the twin. */
export const lastWriteOfTwin = (
  twin: KubeObject,
  of: Pick<Facts, 'twin' | 'experiment'>,
): WrittenGeneration | undefined =>
  isAsWritten(twin, of.twin?.unreported) ? of.twin?.unreported : of.experiment.status?.analysis?.twin

/** What a gated fork needs. */
interface GateFacts {
  /** the pods of the fork; unknown in a review, and before the cache of pods was filled */
  readonly pods: Known<readonly GatedPod[]>
}

/** The pods of a gated fork; undefined if they are not known. */
export const podsOf = ({ gate }: SpecFacts) => knownValue(gate?.pods ?? { is: 'absent' })

/** What a blue-green needs. */
export interface CutOverFacts {
  /** unknown in a review, and for an experiment without a blue-green */
  readonly services: Known<CutOverServices>
}

/** The Services that a blue-green names, and what else decides whether they may send to the fork only. */
export interface CutOverServices {
  /** as the API server has them now */
  readonly active: Known<KubeObject>
  /** absent also where the strategy names none */
  readonly preview: Known<KubeObject>
  /** the source as the API server has it now, with its status */
  readonly source: Known<KubeObject>
  /** those of its namespace */
  readonly slices: readonly SliceView[]
  /** milliseconds until a lost pin may be set again; 0 or less: now */
  readonly repairInMs: number
  /** as `repairInMs`, for the pin of the preview, which is set again no matter how often another client removes it */
  readonly previewRepairInMs: number
  /** whether another client has removed the pin repeatedly */
  readonly isContested: boolean
  /**
   * milliseconds since this process first saw the present selector of the active Service, or that the experiment is
   * being deleted, whichever was later; by the monotonic clock. It limits how long a way back waits for the source.
   */
  readonly unchangedMs: number
  /** the same since it first saw the active Service list pods of the fork, and others, or none of them, as now */
  readonly listedMs: number
  /** as `listedMs`, of the preview */
  readonly previewListedMs: number
  /** milliseconds for which the status has said that the fork has too few ready pods; absent: it does not say so */
  readonly shortMs?: number | undefined
}

/** What a canary needs that changes the size of its source. `fork` of the facts is as the API server has it, too. */
export interface ScalingFacts {
  /** the source as the API server has it now, with its status */
  readonly source: Known<KubeObject>
  /** milliseconds since this process first saw both with their present sizes */
  readonly sizedMs: number
  /** milliseconds since it first saw their available pods, and those that Services list, as they are now */
  readonly listedMs: number
  /** milliseconds for which the status has said that too few pods serve; absent: it does not say so */
  readonly shortMs?: number | undefined
}

/** What an analysis needs. */
export interface AnalysisFacts {
  /** those of the namespace of the experiment */
  readonly templates: Known<ByName<AnalysisTemplate>>
  readonly clusterTemplates: Known<ByName<AnalysisTemplate>>
  readonly providers: Known<ByName<AnalysisProvider>>
  /** that of the experiment; undefined: its labels could not be read */
  readonly namespace: NamespaceView | undefined
  /** the analysis runs of the experiment, by their uid; absent in a review */
  readonly runs?: readonly AnalysisRun[]
  /** the requests that pods of the source got in the analysis run that started last; only a review reads it */
  readonly traffic?: RunTraffic | undefined
  /** the poller's result for one of these runs that no pass has recorded yet */
  readonly poll?: Poll | undefined
  /** the source as the API server has it now, with its status; absent: it was not read */
  readonly source?: Known<KubeObject> | undefined
}

/** The second fork, without the override, with which an analysis compares the fork. */
export interface TwinFacts {
  readonly object: Known<KubeObject>
  /** milliseconds until it may be repaired again, because another client keeps changing it; 0 or less: now */
  readonly repairInMs: number
  /** as `Facts.leavingMs` */
  readonly leavingMs?: number | undefined
  /** as `Facts.unreported` */
  readonly unreported?: WrittenGeneration | undefined
}

/** Objects by name; unknown: the object is not as the API says. */
export type ByName<T> = ReadonlyMap<string, Known<T>>

/** What a promotion needs. */
interface PromotionFacts {
  /** the source as the API server has it now, with its status */
  readonly source: Known<KubeObject>
  /** the ControllerRevision with its former values */
  readonly record: Known<KubeObject>
}

/** The policies that apply, and the facts that they need. */
export interface PolicyFacts {
  readonly policies: readonly ExperimentPolicy[]
  readonly namespace: NamespaceView
  readonly sourceNamespace: NamespaceView
  /** whether the source is in another namespace that the webhooks exclude: then no policy can share it */
  readonly isSourceExcluded: boolean
  /** the one namespace that this installation serves; undefined: all */
  readonly onlyNamespace?: string | undefined
  /** whether experiments in `namespace` may fork sources in `sourceNamespace` */
  readonly isShared: boolean
  /** the names of the policies that share sources, but not with `namespace` */
  readonly refusing: readonly string[]
  /** other experiments of the source or of the namespace; empty if no policy counts them */
  readonly others: readonly OtherExperiment[]
  /** the last reservation that `others` includes; a later one makes it outdated */
  readonly othersAsOf: number
}

/** What `all` say about an experiment in `namespace` with a source in `sourceNamespace`; without other experiments. */
export function policyFacts(
  all: readonly ExperimentPolicy[],
  { namespace, sourceNamespace, isExcluded, onlyNamespace }: Namespaces,
): PolicyFacts {
  const isSourceExcluded = namespace.name !== sourceNamespace.name && isExcluded(sourceNamespace.name)
  return {
    policies: applicable(all, namespace, sourceNamespace),
    namespace,
    sourceNamespace,
    isSourceExcluded,
    ...(onlyNamespace === undefined ? {} : { onlyNamespace }),
    isShared: !isSourceExcluded && sharesSourcesWith(all, sourceNamespace, namespace.name),
    refusing: refusingConsent(all, sourceNamespace, namespace.name).map(({ metadata }) => metadata.name),
    others: [],
    othersAsOf: 0,
  }
}

interface Namespaces extends Pick<PolicyFacts, 'namespace' | 'sourceNamespace' | 'onlyNamespace'> {
  /** whether the webhooks exclude a namespace */
  readonly isExcluded: (namespace: string) => boolean
}

/** Another experiment of the source or of the namespace. */
export interface OtherExperiment {
  readonly experiment: ExperimentDeployment
  /** the replicas of its fork; undefined without a fork */
  readonly replicas: number | undefined
}

/** `fork` with what is known of its source; undefined without a fork or its kind. */
export function forkAndSource(facts: SpecFacts, fork: KubeObject | undefined): ForkAndSource | undefined {
  const { kind, source, experiment } = facts
  const adapter = knownValue(kind)
  const { object, referents } = knownValue(source) ?? { object: undefined, referents: [] }
  if (!adapter || !fork) return undefined
  const isBalanced = podsOf(facts)?.some((pod) => pod.isBalanced) === true
  return {
    kind: adapter,
    source: object,
    referents,
    fork,
    twinName: twinName(experiment),
    ...(isBalanced ? { isBalanced } : {}),
  }
}
