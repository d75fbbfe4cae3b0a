import { knownValue } from '../api/known.ts'
import { podsOf, type SpecFacts } from '../facts/facts.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { hasNoPods } from '../fork/health.ts'
import { replicasOf } from '../workload/status.ts'

/**
 * Whether a fork that should be gated has, or may have, pods without a gate. They get requests whatever the run wants,
 * and nothing can shut them. One of `revision` does not count: somebody takes the gate from each pod of this template,
 * so the next pod would have none either. A fork that is to lose such pods has them until its workload controller
 * counts none: their removal may not be known here yet.
 */
export function hasUngatedPods(facts: SpecFacts, revision?: string): boolean {
  const [fork, kind, pods = []] = [knownValue(facts.fork), knownValue(facts.kind), podsOf(facts)]
  if (!fork || !kind) return false
  if (pods.some((pod) => pod.isUngated && !pod.isBeingDeleted && pod.revision !== revision)) return true
  return !hasNoPods(kind, fork) && (!isGatedFork(fork) || replicasOf(fork) === 0)
}
