import { selects } from '../api/label-selector.ts'
import { isDnsLabel } from '../api/metadata-syntax.ts'
import type { KubeObject, UnreadView } from '../api/object.ts'
import type { PromotionMode } from '../api/strategy.ts'
import type { Condition, ExperimentDeployment, FieldError, OverrideType } from '../api/types.ts'
import type { FieldChange, OverrideEffect } from '../override/changes.ts'
import type { Shape } from '../override/shape.ts'
import type { PodDemand } from '../strategy/forecast.ts'

/** What a finding may cause: a refusal, a warning to the author, or an entry in the audit log. */
export const VALIDATION_ACTIONS = ['Deny', 'Warn', 'Audit'] as const
export type ValidationAction = (typeof VALIDATION_ACTIONS)[number]

/** The `spec` of an ExperimentPolicy. An absent field limits nothing. */
export interface ExperimentPolicySpec {
  /** a `metav1.LabelSelector`; absent: every namespace */
  readonly namespaceSelector?: Readonly<Record<string, unknown>>
  /** absent: `Deny` */
  readonly validationActions?: readonly ValidationAction[]
  readonly maxReplicas?: number
  /** `1%` to `100%` */
  readonly maxShare?: string
  readonly maxExperimentsPerSource?: number
  readonly maxExperimentsPerNamespace?: number
  readonly maxTTLSeconds?: number
  readonly defaultTTLSeconds?: number
  /** patterns of `parseOverridePath`; absent: all paths */
  readonly allowedOverridePaths?: readonly string[]
  readonly deniedOverridePaths?: readonly string[]
  /** patterns of `parseImagePattern`; absent: all images */
  readonly allowedImages?: readonly string[]
  /** names of namespaces */
  readonly allowSourcesFrom?: readonly string[]
  /** absent: `Warn` */
  readonly sourceMissing?: 'Warn' | 'Deny'
  /** absent: `Allow` */
  readonly aloneBehindService?: 'Allow' | 'Deny'
  /** absent: all */
  readonly promotionModes?: readonly PromotionMode[]
  /** whether the user who last changed the `spec` may not promote, cut over or preview; absent: no */
  readonly approverNotRequester?: boolean
  /** whether the command `promote` must name the revision; absent: no */
  readonly requireRevision?: boolean
  /** whether a canary may make its source smaller; absent: no. Beside `approverNotRequester` never */
  readonly allowScaleDownSource?: boolean
  /** whether every experiment must have an analysis; absent: no */
  readonly requireAnalysis?: boolean
  /** names of ExperimentAnalysisProviders; absent: all. Kubernetes itself may always be asked */
  readonly allowedProviders?: readonly string[]
  /** whether the end of the time of an analysis may count as a Pass; absent: no */
  readonly allowTimeoutPromotion?: boolean
}

/** The `status` of an ExperimentPolicy. */
export interface ExperimentPolicyStatus {
  readonly observedGeneration?: number
  /** number of live experiments to which the policy applies */
  readonly experiments?: number
  /** how many of these violate the policy */
  readonly violations?: number
  /** `validationActions` as one text, for `kubectl get` */
  readonly actions?: string
  /** `Valid`: false if something in the policy can match nothing */
  readonly conditions?: readonly Condition[]
}

/** What happens to an experiment that violates the policy. */
export const actionsOf = ({ validationActions }: ExperimentPolicySpec): readonly ValidationAction[] =>
  validationActions ?? ['Deny']

/** Whether a canary may make its source smaller: the spec alone does it, so nobody else could be asked before. */
export const allowsSmallerSource = (spec: ExperimentPolicySpec): boolean =>
  spec.allowScaleDownSource === true && spec.approverNotRequester !== true

/** The resource with which administrators limit experiments. */
export interface ExperimentPolicy extends KubeObject {
  readonly spec: ExperimentPolicySpec
  readonly status?: ExperimentPolicyStatus
}

/** What is needed of a namespace. */
export interface NamespaceView {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The number of ready endpoints of a Service that selects the fork, without those of experiments. */
export interface ServiceEndpoints {
  readonly service: string
  readonly ready: number
  /** whether it selects only one pod of each workload; absent: no */
  readonly isOfOnePod?: boolean
}

/** What `judge` needs to know. `undefined` means not known now; limits that need it are not checked. */
export interface PolicyInput {
  readonly experiment: ExperimentDeployment
  /** of the experiment */
  readonly namespace: NamespaceView
  /** of the source; the same object if it is the same namespace */
  readonly sourceNamespace: NamespaceView
  readonly isSourceMissing: boolean
  /** the pods at each step of its strategy, one entry for each number; absent: it has no strategy */
  readonly demands?: readonly PodDemand[] | undefined
  /** `spec.replicas` of the source; absent: it is not known, or the steps do not change it */
  readonly sourceReplicas?: number | undefined
  /** the providers that its analysis asks, and the fields that say so; absent: it asks none */
  readonly providers?: readonly { readonly field: string; readonly name: string }[] | undefined
  /** the Services whose owners declared them as previews */
  readonly previews?: readonly string[] | undefined
  readonly forks: OverrideEffect | undefined
  /** all experiments; those of other sources, expired ones and this experiment itself may be among them */
  readonly others: readonly ExperimentDeployment[] | undefined
  readonly endpoints: readonly ServiceEndpoints[] | undefined
  /** Services and EndpointSlices that are too large to be read: their share is not known; absent: there are none */
  readonly unread?: readonly UnreadView[] | undefined
  readonly now: Date
}

/** What an override changes, and how it is written. */
export interface OverrideChanges {
  readonly changes: readonly FieldChange[]
  readonly overrideSpec: unknown
  readonly overrideType: OverrideType
  /** of the kind's `spec` */
  readonly shape: Shape
}

/**
 * What a finding is about, and so what the controller does not do if it denies. `content` (of the experiment): create
 * the fork or change it, except to fewer pods; write the source, unless a Service sends only to the fork. `timeout` (of
 * an analysis, after which it may promote): create or change the fork likewise, and write the source because of that.
 * `share` (of the traffic): create it or let it grow. `count` (of experiments): create it. `promotion` (its mode) and
 * `approval` (who gave it): write the source. `strategy` (which asks nobody else): nothing; only a review finds it.
 */
export type LimitKind = 'content' | 'timeout' | 'share' | 'count' | 'promotion' | 'approval' | 'strategy'

/** A violation of a policy by an experiment. The message names the policy. */
export interface PolicyFinding {
  readonly policy: string
  readonly actions: readonly ValidationAction[]
  readonly about: LimitKind
  readonly error: FieldError
  /** the pods of the step of a strategy that violates the policy; a step with fewer pods does not violate it so */
  readonly pods?: number
  /** the list that Merge replaced, in the override, if the change has no other cause */
  readonly replacedList?: string
}

/** The policies that select the namespace of an experiment or that of its source. */
export const applicable = (
  policies: readonly ExperimentPolicy[],
  namespace: NamespaceView,
  sourceNamespace: NamespaceView,
): readonly ExperimentPolicy[] =>
  policies.filter((policy) => selectsNamespace(policy, namespace) || selectsNamespace(policy, sourceNamespace))

/** Whether a policy selects a namespace. */
const selectsNamespace = ({ spec }: ExperimentPolicy, { labels }: NamespaceView): boolean =>
  selects(spec.namespaceSelector ?? {}, labels)

/** The webhooks exclude this namespace, because a failing webhook could otherwise block the repair of the cluster. */
const KUBE_SYSTEM = 'kube-system'

/** The namespaces of an installation. */
export interface ServedNamespaces {
  /** the namespace of its pods */
  readonly ownNamespace: string
  /** the one namespace that it serves; undefined: all */
  readonly onlyNamespace?: string | undefined
}

/** Whether the installation does not serve `namespace`, and therefore may not read anything there. */
export const isOutside = (namespace: string, onlyNamespace: string | undefined): boolean =>
  onlyNamespace !== undefined && namespace !== onlyNamespace

/**
 * Whether the webhooks exclude `namespace`: admission checks no experiment there, and no source of it is forked from
 * elsewhere, because a policy without a selector would otherwise share what runs the cluster, or this product itself.
 */
export const isExcludedNamespace = (namespace: string, { ownNamespace, onlyNamespace }: ServedNamespaces): boolean =>
  namespace === KUBE_SYSTEM || namespace === ownNamespace || isOutside(namespace, onlyNamespace)

/**
 * The namespaces of an installation, which may serve only the namespace `only`.
 * @throws Error that names the variable and its value, if webhooks exclude that namespace or if it is not a name
 */
export function servedNamespaces(own: string, only: string | undefined): ServedNamespaces {
  if (only === undefined) return { ownNamespace: own, onlyNamespace: undefined }
  if (!isDnsLabel(only))
    throw new Error(`WATCH_NAMESPACE must be the name of a namespace, found ${JSON.stringify(only)}`)
  if (isExcludedNamespace(only, { ownNamespace: own }))
    throw new Error(
      `WATCH_NAMESPACE must not be ${KUBE_SYSTEM} or the namespace of the pod, found ${JSON.stringify(only)}`,
    )
  return { ownNamespace: own, onlyNamespace: only }
}

/** Whether the other experiments of the source, or of the namespace, must be counted. */
export interface CountScope {
  readonly source: boolean
  readonly namespace: boolean
}

/** What must be counted to check `policies`. */
export const countScopeOf = (policies: readonly ExperimentPolicy[]): CountScope => ({
  source: policies.some(({ spec }) => spec.maxExperimentsPerSource !== undefined || spec.maxShare !== undefined),
  namespace: policies.some(({ spec }) => spec.maxExperimentsPerNamespace !== undefined),
})

/** The `ttlSeconds` for experiments without one: the smallest default of the policies that apply, or undefined. */
export function defaultTTLSeconds(
  policies: readonly ExperimentPolicy[],
  namespace: NamespaceView,
  sourceNamespace: NamespaceView,
): number | undefined {
  const defaults = applicable(policies, namespace, sourceNamespace).flatMap(({ spec }) => spec.defaultTTLSeconds ?? [])
  return defaults.length === 0 ? undefined : Math.min(...defaults)
}

/**
 * Whether experiments in `namespace` may fork sources of `sourceNamespace`. In another namespace, a policy that selects
 * it must list `namespace` in `allowSourcesFrom`, and none that selects it and has this field may omit `namespace`,
 * whatever its `validationActions`.
 */
export function sharesSourcesWith(
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): boolean {
  if (sourceNamespace.name === namespace) return true
  return (
    sharing(policies, sourceNamespace).length > 0 && refusingConsent(policies, sourceNamespace, namespace).length === 0
  )
}

/** The policies that allow other namespaces than `namespace` to fork sources of `sourceNamespace`. */
export const refusingConsent = (
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): readonly ExperimentPolicy[] =>
  sharing(policies, sourceNamespace).filter(({ spec }) => spec.allowSourcesFrom?.includes(namespace) !== true)

const sharing = (policies: readonly ExperimentPolicy[], sourceNamespace: NamespaceView): readonly ExperimentPolicy[] =>
  policies.filter((policy) => policy.spec.allowSourcesFrom && selectsNamespace(policy, sourceNamespace))
