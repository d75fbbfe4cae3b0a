import type { KubeObject } from '../api/object.ts'
import { WORKLOAD_KINDS, workloadKind } from './registry.ts'

/** The kinds whose workloads may take their template from another one. */
export const REFERRING_KINDS = Object.values(WORKLOAD_KINDS).filter(({ refersTo }) => refersTo !== undefined)

/**
 * `rollout/cart` if one of `others`, workloads of its namespace, takes its template from `source`: it is the one to
 * fork, and may scale the source to zero.
 */
export function referrerOf(source: KubeObject, others: readonly KubeObject[]): string | undefined {
  const found = others.find((other) => {
    const target = workloadKind(other.kind)?.refersTo?.(other)
    return target?.resource.kind === source.kind && target.name === source.metadata.name
  })
  return found && `${found.kind.toLowerCase()}/${found.metadata.name}`
}
