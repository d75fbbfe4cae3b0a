import type { KubeObject } from '../api/object.ts'
import { kubectl } from '../text/kubectl.ts'
import { shortName } from '../text/short-name.ts'
import { lastAppliedMs } from '../workload/identity.ts'
import type { Health, WorkloadKind } from '../workload/kind.ts'
import { PROGRESS_DEADLINE_SECONDS, replicasOf } from '../workload/status.ts'
import { forkHealth } from './health.ts'

/** The part of a pod that its fork's health depends on. */
export interface CountedPod {
  /** the revision of the template from which it was created */
  readonly revision: string
  readonly hasReadyContainers: boolean
  readonly isOpen: boolean
  readonly isBeingDeleted: boolean
  /** set for a pod without a gate: it is not of the template, or somebody took the gate away */
  readonly isUngated?: true
}

/** What the health of a gated fork depends on besides the fork itself. */
export interface GatedFork {
  readonly pods: readonly CountedPod[]
  /** how many pods it should have; it has fewer while pods of a former revision go */
  readonly wanted: number
  /** the present revision of its template */
  readonly revision: string
  /** the deadline that `derive` returns beside the fork */
  readonly progressDeadlineSeconds: number | undefined
  /** why Kubernetes refused its pods, if Events say so */
  readonly podRefusal?: string
}

/**
 * The health of a gated `fork` at `now`. It is ready when the containers of all its pods are, however many are open: a
 * pod that is shut is not ready, so the counts in the status of its workload tell nothing. The progress deadline is
 * counted from the last change by this controller.
 */
export function gatedHealth(kind: WorkloadKind, fork: KubeObject, now: Date, gated: GatedFork): Health {
  const workloadHealth = forkHealth(kind, fork, now, gated.podRefusal)
  if (!isCounted(workloadHealth, gated)) return workloadHealth
  const { wanted, progressDeadlineSeconds: seconds = PROGRESS_DEADLINE_SECONDS } = gated
  const { all, updated, ready, open, ungated } = countsOf(gated)
  const reached = `${ready} of ${wanted} pods have ready containers, ${open === 0 ? 'none' : open} open`
  if ([replicasOf(fork), all, ready].every((count) => count === wanted))
    return { is: 'ready', reason: 'Available', message: reached }
  const message = [reached, ...rest({ all, updated, wanted, ungated })].join(', ')
  const leftMs = seconds * 1_000 - (now.getTime() - lastAppliedMs(fork))
  if (leftMs > 0) {
    const recheckMs = workloadHealth.is === 'progressing' ? (workloadHealth.recheckAfterMs ?? leftMs) : leftMs
    return { is: 'progressing', reason: 'PodsNotReady', message, recheckAfterMs: Math.min(leftMs, recheckMs) }
  }
  const name = shortName({ kind: kind.kind, name: fork.metadata.name })
  const where = `see its Events: ${kubectl('describe', { ...fork.metadata, name })}`
  return {
    is: 'stalled',
    isOverdue: true,
    reason: 'ProgressDeadlineExceeded',
    message: `${message} after ${seconds} s; ${where}`,
  }
}

/** Whether the health of the workload follows from counts of ready pods, or it has none and should have some. */
function isCounted(health: Health, { wanted }: GatedFork): boolean {
  switch (health.is) {
    case 'ready':
      return !health.isEmpty || wanted > 0
    case 'progressing':
      return !health.isUnseen
    case 'stalled':
      return health.isOverdue === true
    default:
      return false
  }
}

/** Without the pods that are being deleted. `ready`: those of the present revision with ready containers */
function countsOf({ pods, revision }: GatedFork) {
  const present = pods.filter(({ isBeingDeleted }) => !isBeingDeleted)
  const updated = present.filter((pod) => pod.revision === revision && !pod.isUngated)
  return {
    all: present.length,
    updated: updated.length,
    ready: updated.filter(({ hasReadyContainers }) => hasReadyContainers).length,
    open: present.filter(({ isOpen }) => isOpen).length,
    ungated: present.filter(({ isUngated }) => isUngated).length,
  }
}

type Counted = 'all' | 'updated' | 'wanted' | 'ungated'

/** What is still to be done, without counts that tell nothing. */
function rest({ all, updated, wanted, ungated }: Record<Counted, number>): readonly string[] {
  if (ungated > 0) return [`${ungated} without a gate`]
  if (updated < all) return [`${updated} of ${all} up to date`]
  if (all === wanted) return []
  return [all === 0 ? 'none created yet' : `${all} created`]
}
