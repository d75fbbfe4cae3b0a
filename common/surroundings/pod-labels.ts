import { FOREIGN_BOUNDS } from '../api/limits.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import { PER_POD_LABELS } from '../api/template-metadata.ts'
import { beyondTemplate } from '../fork/base.ts'
import { templateLabels } from '../fork/derive.ts'
import { at, listOr, member, objectOr } from '../json/json.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import type { AutoscalerView } from './neighbours.ts'
import { runningContainers } from './requests.ts'
import type { ServiceView } from './traffic.ts'

/** A fork, and what is known of its source. */
export interface ForkAndSource {
  readonly kind: WorkloadKind
  /** undefined while it does not exist */
  readonly source: KubeObject | undefined
  readonly referents: readonly KubeObject[]
  readonly fork: KubeObject
  /** the name of the twin of the fork, whether there is one or not */
  readonly twinName?: string
  /** set if a load balancer sends to pods of the gated fork directly, as far as these show it */
  readonly isBalanced?: boolean
}

/** The labels of the pods of a workload. */
export interface PodLabels {
  readonly labels: Labels
  /** whether one of the pods has a label that is not in the template and differs from pod to pod */
  readonly hasPerPodLabel: (key: string, value: string) => boolean
}

/** What is needed of a fork and its source to describe their traffic. */
export interface TrafficInput {
  /** the prefix of the names of the fork's pods */
  readonly forkName: string
  /** the same of its twin; empty: there is none */
  readonly twinName: string
  /** how many pods the fork should have */
  readonly replicas: number
  readonly fork: PodLabels
  /** whether a container of the fork has a port of this name */
  readonly hasPort: (name: string) => boolean
  /** the same of the source */
  readonly sourceHasPort: (name: string) => boolean
  /** undefined if the source or its template is not known now */
  readonly source: PodLabels | undefined
  /** whether requests are divided by something other than the number of endpoints */
  readonly isRouted: boolean
  readonly pinnedServices: readonly string[]
  /** the autoscaler of the source */
  readonly autoscaler: AutoscalerView | undefined
}

/** Describes the pods of `pair`, and finds the autoscaler of the source. */
export function trafficInput(pair: ForkAndSource, autoscalers: readonly AutoscalerView[] = []): TrafficInput {
  const { kind, source, fork } = pair
  const pod = sourcePod(pair)
  return {
    forkName: fork.metadata.name,
    twinName: pair.twinName ?? '',
    replicas: replicasOf(fork),
    fork: podLabelsOf(kind, fork, templateLabels(fork)),
    hasPort: portsOf(at(fork.spec, 'template', 'spec')),
    sourceHasPort: portsOf(pod?.spec),
    source: source && pod ? podLabelsOf(kind, source, pod.labels) : undefined,
    isRouted: source !== undefined && kind.podReach.isRouted(source),
    pinnedServices: source ? kind.podReach.pinnedServices(source) : [],
    autoscaler: source && autoscalers.find(scales(source)),
  }
}

/** Returns whether a container of `pod` has a port of a name. The names are collected when they are first needed. */
function portsOf(pod: unknown): (name: string) => boolean {
  let names: ReadonlySet<unknown> | undefined
  return (name) => {
    const ports = () => runningContainers(pod).flatMap((container) => listOr(member(container, 'ports')))
    names ??= new Set(ports().map((port) => member(port, 'name')))
    return names.has(name)
  }
}

const podLabelsOf = ({ podReach }: WorkloadKind, workload: KubeObject, labels: Labels): PodLabels => ({
  labels,
  hasPerPodLabel: (key, value) => podReach.hasPerPodLabel(workload, key, value),
})

/**
 * Labels, annotations and spec of the pods of the source that serve now; undefined if they are not known, or beyond the
 * bounds.
 */
export function sourcePod({ kind, source, referents }: ForkAndSource) {
  if (!source) return undefined
  const found = kind.template(source, referents)
  if (found.is !== 'found' || beyondTemplate(found.template).length > 0) return undefined
  const added = kind.podReach.added(source)
  if (Object.keys(added).length > FOREIGN_BOUNDS.podLabels) return undefined
  const labels: Labels = { ...(objectOr(at(found.template, 'metadata', 'labels')) as Labels), ...added }
  const annotations = objectOr(at(found.template, 'metadata', 'annotations'))
  return { labels, annotations, spec: objectOr(found.template.spec) }
}

/** Returns whether an autoscaler scales `workload`. */
export const scales =
  ({ kind, metadata }: KubeObject) =>
  ({ target }: AutoscalerView): boolean =>
    target.kind === kind && target.name === metadata.name

/** The pairs of `selector` that no pod has. */
export const missingLabels = (selector: Labels, pods: PodLabels): readonly (readonly [string, string])[] =>
  Object.entries(selector).filter(([key, value]) => !hasPair(pods, key, value))

/** Whether the pods have every pair of `selector` but those `without` some keys. Stops at the first difference. */
export function hasPairs(selector: Labels, pods: PodLabels, without: readonly string[] = []): boolean {
  for (const key in selector) if (!without.includes(key) && !hasPair(pods, key, selector[key] ?? '')) return false
  return true
}

const hasPair = ({ labels, hasPerPodLabel }: PodLabels, key: string, value: string): boolean =>
  labels[key] === value || hasPerPodLabel(key, value)

/** Whether it is known that `service` selects these pods. */
export const selectsPods = ({ selector, beyond }: Pick<ServiceView, 'selector' | 'beyond'>, pods: PodLabels): boolean =>
  beyond === undefined && hasPairs(selector, pods)

/** Whether `selector` selects a single pod or a single revision of a workload. */
export const isPinningSelector = (selector: Labels): boolean =>
  PER_POD_LABELS.some((key) => Object.hasOwn(selector, key))

/** The selector of a Service without the pair by which a blue-green limits it to a fork for a while. */
export function withoutPin(selector: Labels): Labels {
  const { [EXPERIMENT_ID]: _pin, ...others } = selector
  return others
}
