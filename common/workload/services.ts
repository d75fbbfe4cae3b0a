import { at, isObject, type KubeObject, listOr, objectOr } from '../api/object.ts'
import type { ServiceShare } from '../api/types.ts'
import { PINNING_LABELS } from './metadata.ts'

/** Of a Service what its share needs. */
export interface ServiceView {
  readonly name: string
  readonly selector: Readonly<Record<string, string>>
}

/** Of an EndpointSlice what a share needs: one entry per pod that is ready. */
export interface SliceView {
  readonly service: string
  readonly ready: readonly { readonly uid: string; readonly pod: string }[]
}

type Labels = Readonly<Record<string, string>>

/** How many Services `status` lists at most. */
const MAX_SERVICES = 32

/** The projection that is kept of a Service; undefined for one that selects no pods. */
export function serviceView(service: KubeObject): ServiceView | undefined {
  const selector = objectOr(at(service, 'spec', 'selector')) as Labels
  if (at(service, 'spec', 'type') === 'ExternalName' || Object.keys(selector).length === 0) return undefined
  return { name: service.metadata.name, selector }
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

/** Whose traffic is asked for: pods of the fork are known by its name. */
export interface Sides {
  readonly forkName: string
  readonly forkLabels: Labels
  readonly sourceLabels: Labels
}

/** A row for each Service that concerns the experiment, by name, at most 32. */
export function serviceShares({ services, slices }: Traffic, sides: Sides): readonly ServiceShare[] {
  return services
    .filter((service) => concerns(service, sides))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SERVICES)
    .map((service) => row(service, slices, sides))
}

/** Its selector, less labels that differ from pod to pod, is part of the labels of the source's or the fork's pods. */
function concerns({ selector }: ServiceView, { sourceLabels, forkLabels }: Sides): boolean {
  const lasting = Object.entries(selector).filter(([key]) => !PINNING_LABELS.includes(key))
  return lasting.length > 0 && [sourceLabels, forkLabels].some((labels) => missing(lasting, labels).length === 0)
}

const missing = (pairs: readonly [string, string][], labels: Labels) =>
  pairs.filter(([key, value]) => labels[key] !== value)

function row({ name, selector }: ServiceView, slices: readonly SliceView[], sides: Sides): ServiceShare {
  const pods = new Map<string, string>() // a pod in two slices counts once
  for (const slice of slices) if (slice.service === name) for (const { uid, pod } of slice.ready) pods.set(uid, pod)
  const experimentEndpoints = [...pods.values()].filter((pod) => pod.startsWith(`${sides.forkName}-`)).length
  const counts = { experimentEndpoints, readyEndpoints: pods.size }
  const lacks = missing(Object.entries(selector), sides.forkLabels)
  if (lacks.length > 0) {
    const pairs = lacks.map(([key, value]) => `${key}=${value}`).join(', ')
    return {
      name,
      selected: false,
      reason: 'LabelsDoNotMatch',
      message: `the experiment's pods lack ${pairs}`,
      ...counts,
    }
  }
  const share = percent(experimentEndpoints, pods.size)
  return { name, selected: true, ...(share === undefined ? {} : { share }), ...counts }
}

/** Whole percent, never rounded to nothing or to all: 1 of 13, 7.7 %: "8%"; 1 of 300: "<1%". */
export function percent(part: number, whole: number): string | undefined {
  if (whole === 0) return undefined
  if (part > 0 && part / whole < 0.01) return '<1%'
  const rounded = Math.round((100 * part) / whole)
  return `${part < whole ? Math.min(99, rounded) : rounded}%`
}
