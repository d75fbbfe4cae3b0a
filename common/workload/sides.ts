import { at, type KubeObject, objectOr } from '../api/object.ts'
import { templateLabels } from './desired.ts'
import type { Labels, WorkloadKind } from './kind.ts'
import { PINNING_LABELS } from './metadata.ts'
import type { AutoscalerView } from './neighbours.ts'
import { replicasOf } from './status.ts'

/** A fork and what it was made from. */
export interface Pair {
  readonly kind: WorkloadKind
  /** undefined while it is not there */
  readonly source: KubeObject | undefined
  readonly referents: readonly KubeObject[]
  readonly fork: KubeObject
}

/** A workload's pods, as those see them who choose by labels. */
export interface Side {
  readonly labels: Labels
  /** whether one of the pods has a label that its template does not say */
  readonly wears: (key: string, value: string) => boolean
}

/** Whose traffic is asked for. */
export interface Sides {
  /** its pods are known by it */
  readonly forkName: string
  /** how many pods it is to have */
  readonly replicas: number
  readonly fork: Side
  /** undefined where it cannot be told now */
  readonly source: Side | undefined
  /** whether something other than endpoints decides where requests to the source go */
  readonly isRouted: boolean
  readonly pinnedServices: readonly string[]
  /** what scales the source */
  readonly autoscaler: AutoscalerView | undefined
}

/** Both sides of `pair`, and which of `autoscalers` scales the source. */
export function sidesOf(pair: Pair, autoscalers: readonly AutoscalerView[] = []): Sides {
  const { kind, source, fork } = pair
  const pod = sourcePod(pair)
  return {
    forkName: fork.metadata.name,
    replicas: replicasOf(fork),
    fork: sideOf(kind, fork, templateLabels(fork)),
    source: source && pod ? sideOf(kind, source, pod.labels) : undefined,
    isRouted: source !== undefined && kind.reach.isRouted(source),
    pinnedServices: source ? kind.reach.pinnedServices(source) : [],
    autoscaler: source && autoscalers.find(scales(source)),
  }
}

const sideOf = ({ reach }: WorkloadKind, workload: KubeObject, labels: Labels): Side => ({
  labels,
  wears: (key, value) => reach.wears(workload, key, value),
})

/** The pods of the source that serve now; undefined where they cannot be told. */
export function sourcePod({ kind, source, referents }: Pair) {
  if (!source) return undefined
  const found = kind.template(source, referents)
  if (found.is !== 'found') return undefined
  const labels: Labels = {
    ...(objectOr(at(found.template, 'metadata', 'labels')) as Labels),
    ...kind.reach.added(source),
  }
  return { labels, spec: objectOr(found.template.spec) }
}

/** Whether an autoscaler scales `workload`. */
export const scales =
  ({ kind, metadata }: KubeObject) =>
  ({ target }: AutoscalerView): boolean =>
    target.kind === kind && target.name === metadata.name

/** The pairs of `selector` that no pod of `side` has. */
export const lacks = (selector: Labels, { labels, wears }: Side): readonly (readonly [string, string])[] =>
  Object.entries(selector).filter(([key, value]) => labels[key] !== value && !wears(key, value))

/** Whether `selector` is about one pod or one revision of a workload. */
export const isPinning = (selector: Labels): boolean => PINNING_LABELS.some((key) => Object.hasOwn(selector, key))
