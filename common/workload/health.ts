import { FIELD_MANAGER } from '../api/names.ts'
import { at, type KubeObject } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'

/** How `fork` does at `now`: what holds for every kind first, then what its adapter says. */
export function forkHealth(kind: WorkloadKind, fork: KubeObject, now: Date): Health {
  if (kind.observedGeneration(fork) < (fork.metadata.generation ?? 0))
    return unseen(kind, fork, now.getTime() - lastWrittenAt(fork))
  if (at(fork, 'spec', 'replicas') === 0)
    return { is: 'ready', reason: 'ScaledToZero', message: 'scaled to zero: no pods, no traffic' }
  return kind.health(fork, now.getTime() - appliedAt(fork))
}

function unseen({ kind, silentAfterMs }: WorkloadKind, fork: KubeObject, sinceMs: number): Health {
  const { generation } = fork.metadata
  const message = `waits for the ${kind} controller to see generation ${generation}`
  if (silentAfterMs === undefined) return { is: 'progressing', reason: 'Updating', message }
  const leftMs = silentAfterMs - sinceMs
  if (leftMs > 0) return { is: 'progressing', reason: 'Updating', message, lookAgainMs: leftMs }
  const silence = `no ${kind} controller has seen generation ${generation} for ${silentAfterMs / 1000} s`
  return { is: 'stalled', reason: 'NotReconciled', message: `${silence}; is it running, and for this instance-id?` }
}

/**
 * When our apply last changed the fork, in milliseconds since 1970; the API server keeps it, so that a restart does not
 * begin anew. Without it: long ago is wrong as often as just now, and just now is patient.
 */
const appliedAt = ({ metadata }: KubeObject): number =>
  Date.parse(
    metadata.managedFields?.find(
      ({ manager, operation, subresource }) => manager === FIELD_MANAGER && operation === 'Apply' && !subresource,
    )?.time ?? '',
  ) || Number.POSITIVE_INFINITY

/** When anybody, we included, last wrote the fork other than its status. Patient as `appliedAt`. */
const lastWrittenAt = ({ metadata }: KubeObject): number => {
  const times = (metadata.managedFields ?? [])
    .filter(({ subresource }) => !subresource)
    .map(({ time = '' }) => Date.parse(time))
  const known = times.filter((time) => !Number.isNaN(time))
  return known.length > 0 ? Math.max(...known) : Number.POSITIVE_INFINITY
}
