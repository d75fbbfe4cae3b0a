import type { KubeObject } from '../api/object.ts'
import { at } from '../json/json.ts'
import { isOurApply } from './identity.ts'
import type { Health, WorkloadKind } from './kind.ts'

/** The health of `fork` at `now`: first the rules for every kind, then those of its adapter. */
export function forkHealth(kind: WorkloadKind, fork: KubeObject, now: Date): Health {
  if (kind.observedGeneration(fork) < (fork.metadata.generation ?? 0))
    return notObserved(kind, fork, now.getTime() - lastWrittenAt(fork))
  if (at(fork, 'spec', 'replicas') === 0)
    return { is: 'ready', reason: 'ScaledToZero', message: 'scaled to zero: no pods, no traffic' }
  return kind.health(fork, now.getTime() - appliedAt(fork))
}

function notObserved({ kind, controllerTimeoutMs }: WorkloadKind, fork: KubeObject, sinceMs: number): Health {
  const { generation } = fork.metadata
  const message = `waiting for the ${kind} controller to observe generation ${generation}`
  if (controllerTimeoutMs === undefined) return { is: 'progressing', reason: 'Updating', message }
  const leftMs = controllerTimeoutMs - sinceMs
  if (leftMs > 0) return { is: 'progressing', reason: 'Updating', message, recheckAfterMs: leftMs }
  const stalled = `no ${kind} controller has observed generation ${generation} within ${controllerTimeoutMs / 1000} s`
  const remedy = 'check that it runs, with the same instance-id'
  return { is: 'stalled', reason: 'NotReconciled', message: `${stalled}; ${remedy}` }
}

/** When this controller last changed the fork, in ms since 1970; Infinity if unknown, so that it never stalls early. */
const appliedAt = ({ metadata }: KubeObject): number =>
  Date.parse(metadata.managedFields?.find(isOurApply)?.time ?? '') || Number.POSITIVE_INFINITY

/** When any client last wrote the fork, status excluded, in ms since 1970; Infinity if unknown. */
const lastWrittenAt = ({ metadata }: KubeObject): number => {
  const writes = (metadata.managedFields ?? []).filter(({ subresource }) => !subresource)
  const times = writes.map(({ time = '' }) => Date.parse(time)).filter((time) => !Number.isNaN(time))
  return times.length > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY
}
