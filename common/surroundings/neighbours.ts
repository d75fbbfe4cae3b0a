import { beyond, beyondSelector } from '../api/limits.ts'
import type { KubeObject, UnreadView } from '../api/object.ts'
import { at, listOr } from '../json/json.ts'

/** What a metric needs of each pod that the autoscaler counts: without it the metric has no value. */
export interface NeededRequest {
  readonly resource: string
  /** the one container that needs the request; absent: all of them */
  readonly container?: string
}

/** What is needed of a HorizontalPodAutoscaler. */
export interface AutoscalerView {
  readonly name: string
  readonly target: { readonly kind: string; readonly name: string }
  readonly min: number
  readonly max: number
  /** the ScaledObject of KEDA from which it was made; absent: it has no mark of KEDA */
  readonly scaledObject?: string
  /** whether it takes pods that are not ready for idle ones; by other metrics than CPU it counts them as they are */
  readonly isOnCpu: boolean
  /** set if metrics compare the use of pods with their requests */
  readonly needs?: readonly NeededRequest[]
  /** set beside `needs`, if there are other metrics, too */
  readonly hasOtherMetrics?: boolean
  /** what of it is not known, such as `spec.metrics has 9000 entries, more than 64`; absent: all is known */
  readonly beyond?: string
}

/** What is needed of a PodDisruptionBudget or a NetworkPolicy: the pods that it selects. */
interface PodSelectorView {
  readonly name: string
  /** a `metav1.LabelSelector`, for `selects` */
  readonly selector: unknown
}

/** Objects of a namespace that act on its pods. */
export interface Neighbours {
  readonly autoscalers: readonly AutoscalerView[]
  readonly budgets: readonly PodSelectorView[]
  readonly networkPolicies: readonly PodSelectorView[]
  /** whether nobody may list the autoscalers here, so that there may be some; absent: they are all known */
  readonly areAutoscalersHidden?: boolean
  /** those that are too large to be read: any of them may act on the pods of a fork. Absent: there is none */
  readonly unread?: readonly UnreadView[]
}

/** Stands for neighbours that are not known. */
export const NO_NEIGHBOURS: Neighbours = { autoscalers: [], budgets: [], networkPolicies: [] }

/** The projection of a HorizontalPodAutoscaler of `autoscaling/v2`. */
export function autoscalerView({ metadata, spec }: KubeObject): AutoscalerView {
  const all = listOr(at(spec, 'metrics'))
  const unknown = beyond(all.length, 'autoscalerMetrics', 'entries')
  const metrics = unknown === undefined ? all : []
  const needs = metrics.flatMap(neededRequest)
  const scaledObject = metadata.labels?.[OF_KEDA]
  return {
    name: metadata.name,
    target: { kind: String(at(spec, 'scaleTargetRef', 'kind')), name: String(at(spec, 'scaleTargetRef', 'name')) },
    min: Number(at(spec, 'minReplicas') ?? 1),
    max: Number(at(spec, 'maxReplicas') ?? 1),
    isOnCpu: metrics.some((metric) => at(resourceOf(metric), 'name') === 'cpu'),
    ...(scaledObject === undefined ? {} : { scaledObject }),
    ...(needs.length > 0 ? { needs } : {}),
    ...(needs.length > 0 && needs.length < metrics.length ? { hasOtherMetrics: true } : {}),
    ...(unknown === undefined ? {} : { beyond: `spec.metrics has ${unknown}` }),
  }
}

const OF_KEDA = 'scaledobject.keda.sh/name'

const resourceOf = (metric: unknown): unknown => at(metric, 'resource') ?? at(metric, 'containerResource')

function neededRequest(metric: unknown): readonly NeededRequest[] {
  const of = resourceOf(metric)
  const [name, container] = [at(of, 'name'), at(of, 'container')]
  if (typeof name !== 'string' || at(of, 'target', 'type') !== 'Utilization') return []
  return [{ resource: name, ...(typeof container === 'string' ? { container } : {}) }]
}

/** The projection of a PodDisruptionBudget of `policy/v1`. */
export const budgetView = ({ metadata, spec }: KubeObject): PodSelectorView | UnreadView => {
  const selector = at(spec, 'selector')
  return unreadSelector(`pdb/${metadata.name}`, 'spec.selector', selector) ?? { name: metadata.name, selector }
}

/** The projection of a NetworkPolicy of `networking.k8s.io/v1`. Without a selector it applies to every pod. */
export const networkPolicyView = ({ metadata, spec }: KubeObject): PodSelectorView | UnreadView => {
  const selector = at(spec, 'podSelector') ?? {}
  const { name } = metadata
  return unreadSelector(`networkpolicy/${name}`, 'spec.podSelector', selector) ?? { name, selector }
}

function unreadSelector(name: string, field: string, selector: unknown): UnreadView | undefined {
  const found = beyondSelector(selector)
  return found === undefined ? undefined : { name, unread: `${field} has ${found}` }
}
