import { at, type KubeObject } from '../api/object.ts'

/** Of a HorizontalPodAutoscaler what it scales, and how far. */
export interface AutoscalerView {
  readonly name: string
  readonly target: { readonly kind: string; readonly name: string }
  readonly min: number
  readonly max: number
}

/** Of a PodDisruptionBudget or a NetworkPolicy which pods it is about. */
export interface SelectingView {
  readonly name: string
  /** a `metav1.LabelSelector`, to be asked by `selects` */
  readonly selector: unknown
}

/** What else acts on pods of a namespace. */
export interface Neighbours {
  readonly autoscalers: readonly AutoscalerView[]
  readonly budgets: readonly SelectingView[]
  readonly networkPolicies: readonly SelectingView[]
}

/** Nobody. */
export const NO_NEIGHBOURS: Neighbours = { autoscalers: [], budgets: [], networkPolicies: [] }

/** The projection of a HorizontalPodAutoscaler of `autoscaling/v2`. */
export const autoscalerView = ({ metadata, spec }: KubeObject): AutoscalerView => ({
  name: metadata.name,
  target: { kind: String(at(spec, 'scaleTargetRef', 'kind')), name: String(at(spec, 'scaleTargetRef', 'name')) },
  min: Number(at(spec, 'minReplicas') ?? 1),
  max: Number(at(spec, 'maxReplicas') ?? 1),
})

/** The projection of a PodDisruptionBudget of `policy/v1`. */
export const budgetView = ({ metadata, spec }: KubeObject): SelectingView => ({
  name: metadata.name,
  selector: at(spec, 'selector'),
})

/** The projection of a NetworkPolicy of `networking.k8s.io/v1`; one without a selector is about every pod. */
export const networkPolicyView = ({ metadata, spec }: KubeObject): SelectingView => ({
  name: metadata.name,
  selector: at(spec, 'podSelector') ?? {},
})
