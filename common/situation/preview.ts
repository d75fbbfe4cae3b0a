import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { countingAutoscaler } from '../surroundings/counting.ts'
import { replicasOf } from '../workload/status.ts'

/** A preview has one pod for this many of its source, while an autoscaler on CPU counts its shut pods. */
const PART = 10

/**
 * The pods of a preview for which a blue-green has no number: as many as `source` has. While an autoscaler on CPU
 * counts the pods of `fork`, which are shut, a tenth of them, rounded down, but at least one. The autoscaler takes shut
 * pods for idle ones, so many of them would keep it from scaling the source up. While the autoscalers are not known,
 * the present fork keeps its pods.
 */
export function previewSize(
  { fork: present, surroundings }: Pick<SpecFacts, 'fork' | 'surroundings'>,
  source: KubeObject,
  fork = knownValue(present),
): number {
  const all = replicasOf(source)
  const few = Math.min(all, Math.max(1, Math.floor(all / PART)))
  const neighbours = knownValue(surroundings.neighbours)
  if (neighbours) {
    const autoscaler = fork && countingAutoscaler({ source, fork }, neighbours.autoscalers)
    return autoscaler?.isOnCpu ? few : all
  }
  const kept = present.is === 'known' ? replicasOf(present.value) : 0
  return Math.max(few, Math.min(all, kept))
}
