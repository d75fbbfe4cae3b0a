import type { KubeObject } from '../api/object.ts'
import { at } from '../json/json.ts'
import { lastAppliedMs } from '../workload/identity.ts'
import type { Health, WorkloadKind } from '../workload/kind.ts'
import { replicasOf, statusCount } from '../workload/status.ts'

/** Pods are created and started within a few seconds, so why they are not is looked for only after this time. */
export const PODS_DUE_MS = 10_000

/**
 * The health of `fork` at `now`: first the rules for every kind, then those of its adapter. `podRefusal`: why
 * Kubernetes refused its pods, if Events say so; it matters only while `mayBeRefusedPods`.
 */
export function forkHealth(kind: WorkloadKind, fork: KubeObject, now: Date, podRefusal?: string): Health {
  if (!isObserved(kind, fork)) return notObserved(kind, fork, now.getTime() - lastWrittenAt(fork))
  if (at(fork, 'spec', 'replicas') === 0)
    return { is: 'ready', isEmpty: true, reason: 'ScaledToZero', message: 'scaled to zero: no pods, no traffic' }
  const sinceAppliedMs = now.getTime() - lastAppliedMs(fork)
  const health = kind.health(fork, sinceAppliedMs)
  const untilDueMs = PODS_DUE_MS - sinceAppliedMs
  if (untilDueMs <= 0 && podRefusal !== undefined && lacksPods(kind, fork))
    return { is: 'stalled', reason: 'ReplicaFailure', message: podRefusal }
  if (health.is !== 'progressing' || untilDueMs <= 0 || untilDueMs === Number.POSITIVE_INFINITY) return health
  return { ...health, recheckAfterMs: Math.min(untilDueMs, health.recheckAfterMs ?? untilDueMs) }
}

/** Whether `fork` has lacked pods for so long that its Events may tell why, and nothing else does. */
export const mayBeRefusedPods = (kind: WorkloadKind, fork: KubeObject, now: Date): boolean =>
  isObserved(kind, fork) && lacksPods(kind, fork) && now.getTime() - lastAppliedMs(fork) >= PODS_DUE_MS

/** Whether the workload controller has not seen the last write of a fork: its status is about an earlier one. */
export const isUnseen = (health: Health): boolean => health.is === 'progressing' && health.isUnseen === true

/**
 * Whether all pods of `source` have its present template, as its status counts them; they need not be ready. Not for a
 * kind with a stable revision, whose other pods have another template on purpose.
 */
export const hasRolledOut = (kind: WorkloadKind, source: KubeObject): boolean =>
  isObserved(kind, source) && statusCount(source, 'updatedReplicas') >= statusCount(source, 'replicas')

/** Whether `fork` should have no pods, and its workload controller has seen that and counts none. */
export const hasNoPods = (kind: WorkloadKind, fork: KubeObject): boolean =>
  replicasOf(fork) === 0 && isObserved(kind, fork) && statusCount(fork, 'replicas') === 0

const isObserved = (kind: WorkloadKind, fork: KubeObject): boolean =>
  kind.observedGeneration(fork) >= (fork.metadata.generation ?? 0)

const lacksPods = ({ tellsRefusalsInEvents }: WorkloadKind, fork: KubeObject): boolean =>
  tellsRefusalsInEvents && statusCount(fork, 'replicas') < replicasOf(fork)

function notObserved({ kind, controllerTimeoutMs }: WorkloadKind, fork: KubeObject, sinceMs: number): Health {
  const { generation } = fork.metadata
  const message = `waiting for the ${kind} controller to observe generation ${generation}`
  if (controllerTimeoutMs === undefined) return { is: 'progressing', isUnseen: true, reason: 'Updating', message }
  const leftMs = controllerTimeoutMs - sinceMs
  if (leftMs > 0) return { is: 'progressing', isUnseen: true, reason: 'Updating', message, recheckAfterMs: leftMs }
  const stalled = `no ${kind} controller has observed generation ${generation} within ${controllerTimeoutMs / 1000} s`
  const remedy = 'check that it runs, with the same instance-id'
  return { is: 'stalled', reason: 'NotReconciled', message: `${stalled}; ${remedy}` }
}

/** When any client last wrote the fork, status excluded, in ms since 1970; Infinity if unknown. */
const lastWrittenAt = ({ metadata }: KubeObject): number => {
  const writes = (metadata.managedFields ?? []).filter(({ subresource }) => !subresource)
  const times = writes.map(({ time = '' }) => Date.parse(time)).filter((time) => !Number.isNaN(time))
  return times.length > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY
}
