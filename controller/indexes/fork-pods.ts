import { EXPERIMENT_ID, GATE, REVISION } from '../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../common/api/object.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { afterOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { GatedPod } from '../../common/strategy/gate.ts'
import { controllerOf, forkOfPod, isBeingDeleted } from '../../common/workload/identity.ts'
import { namespaceOf } from '../runtime/fair-line.ts'

/** What is kept of a pod of a fork. */
export interface PodView extends GatedPod {
  /** the name of its fork */
  readonly fork: string
}

/**
 * The projection of a pod; undefined if its controller is no part of the fork that its name says: anybody may create a
 * pod with our labels, whose controller is any object. Undefined also if it has ended: its workload controller may keep
 * it, and it gets no requests any more. A pod without our readiness gate is as open as can be.
 */
export function podView(pod: KubeObject): PodView | undefined {
  const { name, uid = '', labels, annotations, creationTimestamp } = pod.metadata
  const fork = forkOfPod(name)
  const gates = listOr(at(pod, 'spec', 'readinessGates')).map((gate) => String(at(gate, 'conditionType')))
  const isGated = gates.includes(GATE)
  const { kind, name: owner } = controllerOf(pod) ?? {}
  const isOfFork = kind === 'StatefulSet' ? owner === fork : kind === 'ReplicaSet' && owner?.startsWith(`${fork}-`)
  if (!fork?.endsWith(`-${labels?.[EXPERIMENT_ID]}`)) return undefined
  if (pod[UNREAD] !== undefined) return { ...UNREAD_POD, fork, name, uid, isBeingDeleted: isBeingDeleted(pod) }
  if (!isOfFork || isEnded(pod)) return undefined
  return {
    fork,
    name,
    uid,
    revision: annotations?.[REVISION] ?? '',
    hasReadyContainers: isTrue(pod, 'ContainersReady'),
    isOpen: !isGated || isTrue(pod, GATE),
    isReady: isTrue(pod, 'Ready'),
    isBeingDeleted: isBeingDeleted(pod),
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
    ...(isGated ? {} : { isUngated: true as const }),
    ...(gates.some((gate) => OF_LOAD_BALANCERS.test(gate)) ? { isBalanced: true } : {}),
  }
}

const isEnded = (pod: KubeObject): boolean => ENDED.has(at(pod, 'status', 'phase'))

const ENDED: ReadonlySet<unknown> = new Set(['Failed', 'Succeeded'])

/** A pod that is too large to be read may get requests, so it takes the place of one that does. */
const UNREAD_POD = { revision: '', hasReadyContainers: true, isOpen: true, isReady: false } as const

/** The gates of the AWS Load Balancer Controller, in pods that are targets themselves, and of GKE. */
const OF_LOAD_BALANCERS = /^(?:target-health\.elbv2\.k8s\.aws\/|cloud\.google\.com\/load-balancer-neg-ready$)/

const isTrue = (pod: KubeObject, type: string): boolean =>
  listOr(at(pod, 'status', 'conditions')).some(
    (condition) => isObject(condition) && condition.type === type && condition.status === 'True',
  )

/** The pods of forks, by fork. */
export class ForkPods {
  /** by `namespace/fork`, then by the key of the pod */
  readonly #byFork = new Map<string, Map<string, PodView>>()

  /** How many forks have pods. For tests. */
  get size(): number {
    return this.#byFork.size
  }

  /** Follows one change of a pod. Returns the fork to which it belongs, as `namespace/name`. */
  update(change: ObjectChange<PodView>): string {
    const { key } = change
    const after = afterOf(change)
    const view = change.is === 'deleted' ? change.before : change.after
    const fork = `${namespaceOf(key)}/${view.fork}`
    const pods = this.#byFork.get(fork) ?? new Map<string, PodView>()
    if (after === undefined) pods.delete(key)
    else pods.set(key, after)
    if (pods.size > 0) this.#byFork.set(fork, pods)
    else this.#byFork.delete(fork)
    return fork
  }

  /** The pods of the fork called `name`. */
  of(namespace: string, name: string): readonly GatedPod[] {
    return [...(this.#byFork.get(`${namespace}/${name}`)?.values() ?? [])]
  }
}
