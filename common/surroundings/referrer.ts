import type { KubeObject } from '../api/object.ts'
import { WORKLOAD_KINDS, workloadKind } from '../workload/registry.ts'

/** The kinds whose workloads may take their template from another workload. */
export const REFERRING_KINDS = Object.values(WORKLOAD_KINDS).filter(({ refersTo }) => refersTo !== undefined)

/**
 * The workload among `others`, all in one namespace, that takes its template from `source`, such as `rollout/cart`. This
 * workload should be forked instead. It may scale the source to zero.
 */
export function referrerOf(source: KubeObject, others: readonly KubeObject[]): string | undefined {
  const found = others.find((other) => {
    const target = workloadKind(other.kind)?.refersTo?.(other)
    return target?.resource.kind === source.kind && target.name === source.metadata.name
  })
  return found && `${found.kind.toLowerCase()}/${found.metadata.name}`
}
