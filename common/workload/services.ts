import { at, isObject, type KubeObject, listOr, objectOr } from '../api/object.ts'
import type { ServiceShare } from '../api/types.ts'
import { bends } from './bends.ts'
import type { Labels } from './kind.ts'
import { PINNING_LABELS } from './metadata.ts'
import { percent } from './percent.ts'
import { lacks, type Side, type Sides } from './sides.ts'
import { ROLLOUT_HASH } from './stable-template.ts'

/** By these a Service picks out one pod of a StatefulSet. */
const POD_LABELS = ['statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index']

/** Of a Service what its share needs. */
export interface ServiceView {
  readonly name: string
  readonly selector: Labels
  /** no address of its own: DNS lists the pods */
  readonly isHeadless?: boolean
  /** the following three only where they bend the share */
  readonly sessionAffinity?: string
  readonly internalTrafficPolicy?: string
  readonly trafficDistribution?: string
}

/** Of an EndpointSlice what a share needs: one entry per pod that is ready. */
export interface SliceView {
  readonly service: string
  readonly ready: readonly { readonly uid: string; readonly pod: string }[]
}

/** How many Services `status` lists at most. */
const MAX_SERVICES = 32

/** The projection that is kept of a Service; undefined for one that selects no pods. */
export function serviceView(service: KubeObject): ServiceView | undefined {
  const { selector, type, clusterIP, sessionAffinity, internalTrafficPolicy, trafficDistribution } = objectOr(
    service.spec,
  )
  const labels = objectOr(selector) as Labels
  if (type === 'ExternalName' || Object.keys(labels).length === 0) return undefined
  return {
    name: service.metadata.name,
    selector: labels,
    ...(clusterIP === 'None' ? { isHeadless: true } : {}),
    ...(sessionAffinity === 'ClientIP' ? { sessionAffinity } : {}),
    ...(internalTrafficPolicy === 'Local' ? { internalTrafficPolicy } : {}),
    ...(typeof trafficDistribution === 'string' ? { trafficDistribution } : {}),
  }
}

/** The projection that is kept of an EndpointSlice; undefined for one that belongs to no Service. */
export function sliceView(slice: KubeObject): SliceView | undefined {
  const service = slice.metadata.labels?.['kubernetes.io/service-name']
  if (service === undefined) return undefined
  const ready = listOr(slice.endpoints)
    .filter(isObject)
    .filter((endpoint) => at(endpoint, 'conditions', 'ready') !== false && at(endpoint, 'targetRef', 'kind') === 'Pod')
    .map((endpoint) => ({
      uid: String(at(endpoint, 'targetRef', 'uid')),
      pod: String(at(endpoint, 'targetRef', 'name')),
    }))
  return { service, ready }
}

/** What is known of a namespace's traffic. */
export interface Traffic {
  readonly services: readonly ServiceView[]
  readonly slices: readonly SliceView[]
}

/** A row for each Service that concerns the experiment, by name, at most 32. */
export function serviceShares({ services, slices }: Traffic, sides: Sides): readonly ServiceShare[] {
  return services
    .filter((service) => concerns(service, sides.fork) || concernsSource(service, sides))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SERVICES)
    .map((service) => row(service, slices, sides))
}

/** Whether `service` is about pods of the source. */
export const concernsSource = (service: ServiceView, { source }: Sides): boolean =>
  source !== undefined && concerns(service, source)

/**
 * Its selector, less labels that differ from pod to pod, is part of the labels of the pods. One that has no others is
 * about them if one of them has these.
 */
function concerns({ selector }: ServiceView, side: Side): boolean {
  const lasting = Object.entries(selector).filter(([key]) => !PINNING_LABELS.includes(key))
  return lacks(lasting.length > 0 ? Object.fromEntries(lasting) : selector, side).length === 0
}

function row(service: ServiceView, slices: readonly SliceView[], sides: Sides): ServiceShare {
  const { name, selector } = service
  const pods = readyPods(slices, name)
  const experimentEndpoints = pods.filter((pod) => pod.startsWith(`${sides.forkName}-`)).length
  const counts = { experimentEndpoints, readyEndpoints: pods.length }
  const missing = lacks(selector, sides.fork)
  if (missing.length > 0) return { name, selected: false, ...absence(service, missing, sides), ...counts }
  if (sides.isRouted) {
    const message = 'an endpoint like others, but the Rollout routes the requests: the share is unknown'
    return { name, selected: true, reason: 'RoutedByRollout', message, ...counts }
  }
  const share = percent(experimentEndpoints, pods.length)
  const bent = bends(service, pods, sides)
  return {
    name,
    selected: true,
    ...(bent.length > 0 ? { message: bent.join('; ') } : {}),
    ...(share === undefined ? {} : { share }),
    ...counts,
  }
}

/** The names of the pods that `service` sends to; a pod in two slices counts once. */
function readyPods(slices: readonly SliceView[], service: string): readonly string[] {
  const pods = new Map<string, string>()
  for (const slice of slices) if (slice.service === service) for (const { uid, pod } of slice.ready) pods.set(uid, pod)
  return [...pods.values()]
}

type Missing = ReturnType<typeof lacks>

/** Why a Service does not select the fork. What no label of a template can cure comes first. */
function absence({ name, selector }: ServiceView, missing: Missing, { pinnedServices }: Sides) {
  const pairs = missing.map(([key, value]) => `${key}=${value}`).join(', ')
  const isMissing = (key: string) => missing.some(([lacking]) => lacking === key)
  if (Object.hasOwn(selector, ROLLOUT_HASH)) {
    const pins = pinnedServices.includes(name) ? 'the Rollout pins it to' : 'it is pinned to'
    const revision = `${ROLLOUT_HASH}=${selector[ROLLOUT_HASH]}`
    return { reason: 'PinnedByRollout', message: `${pins} one revision: ${revision}` } as const
  }
  if (POD_LABELS.some(isMissing))
    return { reason: 'PinnedToPod', message: `it is for one pod of the source (${pairs})` } as const
  return { reason: 'LabelsDoNotMatch', message: `the experiment's pods lack ${pairs}` } as const
}
