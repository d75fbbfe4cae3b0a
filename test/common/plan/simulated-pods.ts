/** The pods of a fork in memory, as a workload controller and a kubelet treat them. */
import { GATE, REVISION } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { isGatedFork } from '../../../common/fork/gated-spec.ts'
import { at } from '../../../common/json/json.ts'
import type { GatedPod } from '../../../common/strategy/gate.ts'
import { replicasOf } from '../../../common/workload/status.ts'
import type { Write } from '../../../common/writes/write.ts'

export interface PodsOf {
  /** whether the containers of new pods become ready */
  readonly isHealthy: boolean
}

/** What pods have whose template has no gate. */
const UNGATED = { revision: 'ungated', isUngated: true, isOpen: true } as const

/**
 * What becomes of `pods` when the controller of `fork` looks once. It deletes pods that are too many: former ones
 * first, and those that are not ready. An update takes one pod, and only while all new ones are ready: so it never ends
 * while one is shut.
 */
export function podsAfter(pods: readonly GatedPod[], fork: KubeObject | undefined, of: PodsOf): readonly GatedPod[] {
  if (!fork) return []
  const isGated = isGatedFork(fork)
  const revision = isGated
    ? String(at(fork, 'spec', 'template', 'metadata', 'annotations', REVISION))
    : UNGATED.revision
  const count = replicasOf(fork)
  const isFormer = (pod: GatedPod) => pod.revision !== revision
  const worth = (pod: GatedPod) => Number(!isFormer(pod)) * 2 + Number(pod.isReady)
  const kept = pods.toSorted((a, b) => worth(b) - worth(a)).slice(0, count)
  const former = kept.findLast(isFormer)
  // pods that are shut use up what an update may take down, unless new ones are ready without a gate
  const mayGo = (pod: GatedPod) => pod.isReady || (isFormer(pod) && !isGated)
  const isUpdating = former !== undefined && kept.length === count && kept.every(mayGo)
  const left = isUpdating ? kept.filter((pod) => pod !== former) : kept
  // a Deployment that grows with its update gives the pods to the only ReplicaSet that it has
  const isGrowing = former?.isUngated && kept.length < count && kept.every(isFormer)
  const made = isGated && !isGrowing ? { revision } : UNGATED
  const created = Array.from(
    { length: count - left.length },
    (): GatedPod => ({ ...aPod(fork.metadata.name, of.isHealthy), ...made }),
  )
  return [...left, ...created].map((pod) => ({ ...pod, isReady: pod.hasReadyContainers && pod.isOpen }))
}

let created = 0

function aPod(fork: string, hasReadyContainers: boolean): GatedPod {
  created += 1
  const [name, uid] = [`${fork}-${created}`, `uid-of-pod-${created}`]
  return { name, uid, revision: '', hasReadyContainers, isOpen: false, isReady: false, isBeingDeleted: false }
}

/** `pods` after a write of the gate of one of them. */
export function withGate(pods: readonly GatedPod[], { object }: Extract<Write, { role: 'pod' }>): readonly GatedPod[] {
  const { type, status } = (at(object, 'status', 'conditions') as readonly Record<string, unknown>[])[0] ?? {}
  if (type !== GATE) throw new Error(`it writes another condition: ${String(type)}`)
  const isOpen = status === 'True'
  return pods.map((pod) =>
    pod.uid === object.metadata.uid ? { ...pod, isOpen, isReady: isOpen && pod.hasReadyContainers } : pod,
  )
}

/** How many pods get requests. */
export const serving = (pods: readonly GatedPod[]): number => pods.filter(({ isReady }) => isReady).length
