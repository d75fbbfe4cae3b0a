/** After so long, every node sends requests to the pods that the EndpointSlices of a Service list, and to no others. */
export const NODES_MS = 2_000

/** What the gate of a fork needs to know of one of its pods. */
export interface GatedPod {
  readonly name: string
  readonly uid: string
  /** the revision of the template from which it was created */
  readonly revision: string
  /** its condition ContainersReady */
  readonly hasReadyContainers: boolean
  /** the condition of its gate */
  readonly isOpen: boolean
  /** its condition Ready: its containers are ready and all of its gates are open, also those of other people */
  readonly isReady: boolean
  readonly isBeingDeleted: boolean
  /** RFC 3339 */
  readonly createdAt?: string
  /** set if its template had no gate: it gets requests as soon as it is ready, and nothing can shut it */
  readonly isUngated?: true
  /** set if a load balancer sends to it directly: the load balancer has added its own readiness gate to the pod */
  readonly isBalanced?: boolean
}

/** What the gates of the pods of a fork should be. */
export interface GateTarget {
  /** how many pods should be open; 0 before the first weight, at weight 0 and in an abort */
  readonly open: number
  /** the present revision of the fork's template */
  readonly revision: string
}

/** The pods whose gate changes now. */
export interface GateChanges {
  readonly open: readonly GatedPod[]
  readonly shut: readonly GatedPod[]
}

/**
 * Which pods to open and which to shut. Only pods with ready containers are opened: first those of the present
 * revision, then those that are open already, then by name. A pod is shut when another one serves in its place, so that
 * meanwhile both serve and never neither. A pod whose containers restart stays open until then. The gate of a pod that
 * has none is not changed.
 *
 * Equal pods give equal changes in any order, so that a change whose reply was lost is made again. When all changes are
 * made and seen, there are none.
 */
export function gateChanges(all: readonly GatedPod[], { open: wanted, revision }: GateTarget): GateChanges {
  const pods = all.filter(({ isUngated }) => !isUngated)
  // A pod that is being deleted leaves its Services automatically. But a proxy may use it while no other pod is ready.
  if (wanted <= 0) return { open: [], shut: pods.filter(({ isOpen }) => isOpen) }
  const present = pods.filter(({ isBeingDeleted }) => !isBeingDeleted).sort(inOrder(revision))
  const chosen = present.filter(({ hasReadyContainers }) => hasReadyContainers).slice(0, wanted)
  const leaving = present.slice(chosen.length).filter(({ isOpen }) => isOpen)
  const kept = wanted - chosen.filter(isServing).length
  return { open: chosen.filter(({ isOpen }) => !isOpen), shut: leaving.sort(servingFirst).slice(kept) }
}

/** The pods of a fork that concern its experiment: those without a gate only if the fork should have one. */
export const concernedPods = (pods: readonly GatedPod[], isGated: boolean): readonly GatedPod[] =>
  isGated ? pods : pods.filter(({ isUngated }) => !isUngated)

/** How many pods get requests as far as the gate decides. Those that are being deleted do not count. */
export const openPods = (pods: readonly GatedPod[]): number =>
  pods.filter(({ isOpen, isBeingDeleted }) => isOpen && !isBeingDeleted).length

/** How many pods a Service sends to, as soon as its slices follow. */
export const readyPods = (pods: readonly GatedPod[]): number =>
  pods.filter(({ isReady, isBeingDeleted }) => isReady && !isBeingDeleted).length

const isServing = ({ hasReadyContainers, isOpen, isReady }: GatedPod): boolean =>
  hasReadyContainers && isOpen && isReady

const servingFirst = (a: GatedPod, b: GatedPod) => Number(isServing(b)) - Number(isServing(a))

/** Pods that can be open come first, then those of the present revision, then those that are open already. */
const inOrder = (revision: string) => (a: GatedPod, b: GatedPod) =>
  Number(b.hasReadyContainers) - Number(a.hasReadyContainers) ||
  Number(b.revision === revision) - Number(a.revision === revision) ||
  Number(b.isOpen) - Number(a.isOpen) ||
  servingFirst(a, b) ||
  byName(a.name, b.name)

/**
 * Shorter names come first. So pods of a StatefulSet are in the order of their ordinals, of which it keeps the lowest
 * when it is scaled down.
 */
function byName(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : Number(a > b)
}
