import type { KubeObject } from '../api/object.ts'
import { at, isObject, listOr } from '../json/json.ts'
import type { PodReach } from './kind.ts'

/** Fields that most kinds of workload have. */
type Fields = Readonly<Record<string, unknown>>

/** The condition of a type in a workload's status, if it has this status. */
export const conditionOf = (workload: KubeObject, type: string, status: 'True' | 'False'): Fields | undefined =>
  listOr(at(workload, 'status', 'conditions'))
    .filter(isObject)
    .find((found) => found.type === type && found.status === status)

/** The message of a condition, or its reason. */
export const messageOf = (condition: Fields): string => String(condition.message ?? condition.reason ?? '')

/** A number in the status of a workload. Zeros are omitted there. */
export const statusCount = (workload: KubeObject, count: string): number => Number(at(workload, 'status', count) ?? 0)

/** The number of pods in the spec of a workload. */
export const replicasOf = (workload: KubeObject): number => Number(at(workload, 'spec', 'replicas') ?? 1)

/** The members of `spec` that are in `keys`. */
export const pick = (spec: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(spec, key) ? [[key, spec[key]]] : [])))

/** The pod template in the `spec` of a workload. */
export const ownTemplate = (workload: KubeObject) => {
  const template = at(workload, 'spec', 'template')
  return isObject(template)
    ? ({ is: 'found', template } as const)
    : ({ is: 'missing', message: `${workload.kind.toLowerCase()}/${workload.metadata.name} has no template` } as const)
}

/** For kinds whose pods are reached only by the labels of their template. */
export const PLAIN_POD_REACH: PodReach = {
  added: () => ({}),
  hasPerPodLabel: () => false,
  isRouted: () => false,
  pinnedServices: () => [],
  hasPeers: false,
}
