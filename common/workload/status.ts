import { roundedDown, roundedUp } from '../api/amount.ts'
import type { KubeObject } from '../api/object.ts'
import { at, isObject, listOr, objectOr } from '../json/json.ts'
import { shortNameOf } from '../text/short-name.ts'
import { withPodDefaults } from './dependent-defaults.ts'
import type { Health, PodReach } from './kind.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The default progress deadline of Deployments and Rollouts. StatefulSets have no such field; it counts for them, too.
 */
export const PROGRESS_DEADLINE_SECONDS = 600

/** How long a rollout of a workload may take. */
export const progressDeadlineMs = ({ spec }: KubeObject): number =>
  Number(at(spec, 'progressDeadlineSeconds') ?? PROGRESS_DEADLINE_SECONDS) * 1_000

/** The condition of a type in a workload's status, if it has this status. */
export const conditionOf = (workload: KubeObject, type: string, status: 'True' | 'False'): Fields | undefined =>
  listOr(at(workload, 'status', 'conditions'))
    .filter(isObject)
    .find((found) => found.type === type && found.status === status)

/** The message of a condition, or its reason. */
export const conditionMessage = (condition: Fields): string => String(condition.message ?? condition.reason ?? '')

/** The health of a workload whose condition `type` is true; undefined if it is not. */
export function stalledBy(workload: KubeObject, type: 'InvalidSpec' | 'ReplicaFailure'): Health | undefined {
  const condition = conditionOf(workload, type, 'True')
  return condition && { is: 'stalled', reason: type, message: conditionMessage(condition) }
}

/** A number in the status of a workload. Zeros are omitted there. */
export const statusCount = (workload: KubeObject, count: string): number => Number(at(workload, 'status', count) ?? 0)

/** The number of pods in the spec of a workload. */
export const replicasOf = (workload: KubeObject): number => Number(at(workload, 'spec', 'replicas') ?? 1)

/**
 * How many of `replicas` pods a rolling update takes down at once. `maxUnavailable` is rounded down and `maxSurge` up,
 * and if both are 0, one pod may be unavailable: as Kubernetes and Argo do. The defaults are 25% for both.
 */
export function takenDown(rollingUpdate: unknown, replicas: number): number {
  const { maxUnavailable = '25%', maxSurge = '25%' } = objectOr(rollingUpdate)
  const down = roundedDown(maxUnavailable, replicas) ?? 0
  return down === 0 && roundedUp(maxSurge, replicas) === 0 ? Math.min(1, replicas) : Math.min(down, replicas)
}

/**
 * How many more than `replicas` pods a rolling update has at once. It creates at most `replicas` new ones, however
 * large `maxSurge` is.
 */
export const surgeOf = (rollingUpdate: unknown, replicas: number): number =>
  Math.min(replicas, roundedUp(objectOr(rollingUpdate).maxSurge ?? '25%', replicas) ?? 0)

/** The members of `spec` that are in `keys`. */
export const pick = <T>(spec: Readonly<Record<string, T>>, keys: readonly string[]): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => keys.includes(key)))

/** The members of `map` that are not in `keys`. */
export function omit<T>(map: Readonly<Record<string, T>>, keys: readonly string[]): Readonly<Record<string, T>> {
  const omitted = new Set(keys)
  return Object.fromEntries(Object.entries(map).filter(([key]) => !omitted.has(key)))
}

/** The pod template in the `spec` of a workload. */
export const ownTemplate = (workload: KubeObject) => {
  const template = at(workload, 'spec', 'template')
  return isObject(template)
    ? ({ is: 'found', template } as const)
    : ({ is: 'missing', message: `${shortNameOf(workload)} has no template` } as const)
}

/** What Deployments and StatefulSets have in common. */
export const APPS_KIND = {
  apiVersion: 'apps/v1',
  inheritedLabels: [],
  bans: [],
  references: () => [],
  template: ownTemplate,
  watchedAnnotations: [],
  watchProjection: undefined,
  baseFingerprint: ({ metadata }: KubeObject) => `${metadata.generation}`,
  observedGeneration: (fork: KubeObject) => statusCount(fork, 'observedGeneration'),
  isRevisionKnown: () => true,
  isSpecRewritten: false,
  withOwnedDefaults: (spec: Fields): Fields => ({ ...spec, template: withPodDefaults(objectOr(spec.template)) }),
  controllerTimeoutMs: undefined,
  tellsRefusalsInEvents: false,
}

/** For kinds whose pods are reached only by the labels of their template. */
export const PLAIN_POD_REACH: PodReach = {
  added: () => ({}),
  hasPerPodLabel: () => false,
  isRouted: () => false,
  pinnedServices: () => [],
}
