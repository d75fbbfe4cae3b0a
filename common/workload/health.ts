import { at, type KubeObject } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'

/** How `fork` does: what holds for every kind first, then what its adapter says. */
export function forkHealth(kind: WorkloadKind, fork: KubeObject): Health {
  const observed = Number(at(fork, 'status', 'observedGeneration') ?? 0)
  if (observed < (fork.metadata.generation ?? 0))
    return {
      is: 'progressing',
      reason: 'Updating',
      message: `waits for the ${kind.kind} controller to see generation ${fork.metadata.generation}`,
    }
  if (at(fork, 'spec', 'replicas') === 0)
    return { is: 'ready', reason: 'ScaledToZero', message: 'scaled to zero: no pods, no traffic' }
  return kind.health(fork)
}
