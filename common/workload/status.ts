import { at, isObject, type KubeObject, listOr } from '../api/object.ts'
import type { Reach } from './kind.ts'

/** What most workloads tell alike. */
type Told = Readonly<Record<string, unknown>>

/** The condition of `type` in a workload's status, if it has `status`. */
export const conditionOf = (workload: KubeObject, type: string, status: 'True' | 'False'): Told | undefined =>
  listOr(at(workload, 'status', 'conditions'))
    .filter(isObject)
    .find((found) => found.type === type && found.status === status)

/** The words of a condition. */
export const wordsOf = (condition: Told): string => String(condition.message ?? condition.reason ?? '')

/** A number of the status; a status omits zeros. */
export const countOf = (workload: KubeObject, count: string): number => Number(at(workload, 'status', count) ?? 0)

/** How many pods are asked for. */
export const replicasOf = (workload: KubeObject): number => Number(at(workload, 'spec', 'replicas') ?? 1)

/** The members `keys` of `spec`, those that it has. */
export const pick = (spec: Told, keys: readonly string[]): Told =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(spec, key) ? [[key, spec[key]]] : [])))

/** The template of a workload's own `spec`. */
export const ownTemplate = (workload: KubeObject) => {
  const template = at(workload, 'spec', 'template')
  return isObject(template)
    ? ({ is: 'found', template } as const)
    : ({ is: 'missing', message: `${workload.kind.toLowerCase()}/${workload.metadata.name} has no template` } as const)
}

/** Pods that are all alike, found by the labels of their template alone. */
export const PLAIN_REACH: Reach = {
  added: () => ({}),
  wears: () => false,
  isRouted: () => false,
  pinnedServices: () => [],
  hasPeers: false,
}
