import type { Change } from '../workload/changes.ts'
import { selects } from '../workload/selector.ts'
import type { Shape } from '../workload/shape.ts'
import { untilExpiryMs } from './expiry.ts'
import type { KubeObject } from './object.ts'
import type { ExperimentDeployment, FieldError } from './types.ts'

/** What a finding does: refuse, tell the author, or be written into the audit log. */
export type ValidationAction = 'Deny' | 'Warn' | 'Audit'

/** As admins write it. An absent limit is none. */
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
  /** see `override-path.ts`; absent: all */
  readonly allowedOverridePaths?: readonly string[]
  readonly deniedOverridePaths?: readonly string[]
  /** see `image.ts`; absent: all */
  readonly allowedImages?: readonly string[]
  /** names of namespaces */
  readonly allowSourcesFrom?: readonly string[]
  /** absent: `Warn` */
  readonly sourceMissing?: 'Warn' | 'Deny'
}

export interface ExperimentPolicyStatus {
  readonly observedGeneration?: number
  /** live ones to which it applies */
  readonly experiments?: number
  /** of these, how many it finds something wrong with */
  readonly violations?: number
}

export interface ExperimentPolicy extends KubeObject {
  readonly spec: ExperimentPolicySpec
  readonly status?: ExperimentPolicyStatus
}

/** A namespace as policies see it. */
export interface NamespaceView {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The fork as it is and as it would be without its override (`overrideSpec: {}`). */
export interface Forks {
  readonly plain: KubeObject
  readonly changed: KubeObject
  /** of the kind's `spec`; `NO_SHAPE` while the schema is not known */
  readonly shape: Shape
  /** every leaf of the specs in which they differ, found once */
  readonly changes: () => readonly Change[]
}

/** Ready endpoints of a Service that selects the fork, less those of experiments. */
export interface ServiceEndpoints {
  readonly service: string
  readonly ready: number
}

/** All that a judgement may know. What is `undefined` is not known now, and rules that need it are left out. */
export interface Judged {
  readonly experiment: ExperimentDeployment
  /** of the resource */
  readonly namespace: NamespaceView
  /** of its source; the same where they are one */
  readonly sourceNamespace: NamespaceView
  readonly isSourceMissing: boolean
  readonly forks: Forks | undefined
  /** every experiment there is; those of other sources, dead ones and the judged one itself do no harm */
  readonly others: readonly ExperimentDeployment[] | undefined
  readonly endpoints: readonly ServiceEndpoints[] | undefined
  readonly now: Date
}

/**
 * What a finding is about, and so what the controller does not do where it denies. `terms`, what the experiment says by
 * itself: it makes no fork, and changes none but to fewer pods. `share`, its part of the traffic: it makes none, and
 * has none grow. `places`, how many experiments there may be: it makes none.
 */
export type Concern = 'terms' | 'share' | 'places'

/** What a policy has against an experiment. The message names the policy. */
export interface PolicyFinding {
  readonly policy: string
  readonly actions: readonly ValidationAction[]
  readonly about: Concern
  readonly error: FieldError
}

/** The namespace of the source of `experiment`: its own unless `sourceRef` names another. */
export const sourceNamespaceOf = ({ metadata, spec }: ExperimentDeployment): string =>
  spec.sourceRef.namespace ?? metadata.namespace

/** Whether `experiment` counts against limits: neither expired nor being deleted. */
export const isLive = (experiment: ExperimentDeployment, now: Date): boolean =>
  experiment.metadata.deletionTimestamp === undefined && untilExpiryMs(experiment, now) > 0

/** Those of `policies` that select the namespace of a resource or that of its source. */
export const applicable = (
  policies: readonly ExperimentPolicy[],
  namespace: NamespaceView,
  sourceNamespace: NamespaceView,
): readonly ExperimentPolicy[] =>
  policies.filter((policy) => selectsNamespace(policy, namespace) || selectsNamespace(policy, sourceNamespace))

const selectsNamespace = ({ spec }: ExperimentPolicy, { labels }: NamespaceView): boolean =>
  selects(spec.namespaceSelector ?? {}, labels)

/** Which other experiments are counted: those of the same source, those in the same namespace. */
export interface Among {
  readonly source: boolean
  readonly namespace: boolean
}

/** Whose number or pods `policies` limit: of the others of its source, of its namespace. */
export const limitedBy = (policies: readonly ExperimentPolicy[]): Among => ({
  source: policies.some(({ spec }) => spec.maxExperimentsPerSource !== undefined || spec.maxShare !== undefined),
  namespace: policies.some(({ spec }) => spec.maxExperimentsPerNamespace !== undefined),
})

/** The `ttlSeconds` of an experiment that has none: the smallest that a policy wants; undefined if none wants one. */
export function defaultTTLSeconds(
  policies: readonly ExperimentPolicy[],
  namespace: NamespaceView,
  sourceNamespace: NamespaceView,
): number | undefined {
  const wanted = applicable(policies, namespace, sourceNamespace).flatMap(({ spec }) => spec.defaultTTLSeconds ?? [])
  return wanted.length === 0 ? undefined : Math.min(...wanted)
}

/**
 * Whether experiments in the namespace called `namespace` may fork sources of `sourceNamespace`: their own always;
 * others' only if a policy that selects these lists it, and none that has the field omits it. Whatever
 * `validationActions` say: consent is given, not found missing.
 */
export function sharesSourcesWith(
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): boolean {
  if (sourceNamespace.name === namespace) return true
  return sharing(policies, sourceNamespace).length > 0 && refusing(policies, sourceNamespace, namespace).length === 0
}

/** Those of `policies` that let sources of `sourceNamespace` be forked from elsewhere, but not from `namespace`. */
export const refusing = (
  policies: readonly ExperimentPolicy[],
  sourceNamespace: NamespaceView,
  namespace: string,
): readonly ExperimentPolicy[] =>
  sharing(policies, sourceNamespace).filter(({ spec }) => spec.allowSourcesFrom?.includes(namespace) !== true)

const sharing = (policies: readonly ExperimentPolicy[], sourceNamespace: NamespaceView): readonly ExperimentPolicy[] =>
  policies.filter((policy) => policy.spec.allowSourcesFrom && selectsNamespace(policy, sourceNamespace))
