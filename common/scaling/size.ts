import type { KubeObject } from '../api/object.ts'
import { replicasOf } from '../workload/status.ts'
import { sizeRecordOf } from './record.ts'

/** The two sizes of a source. */
export interface SourceSize {
  /** the pods that its people want: weights and limits depend on it */
  readonly wanted: number
  /** its `spec.replicas` now: what its rollout takes down, and what it can serve, depends on it */
  readonly now: number
}

/**
 * The sizes of `source`. They differ only while a canary with `scaleDownSource` has made it smaller, as the label there
 * says. Somebody else's number is what people want: the label counts only with the number that was written with it.
 */
export function sizeOf(source: KubeObject): SourceSize {
  const now = replicasOf(source)
  const record = sizeRecordOf(source)
  return { wanted: record?.written === now ? record.size : now, now }
}
