/** The Services of a blue-green in memory, with the slices that the API server's controllers make of them. */
import { EXPERIMENT_ID, FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, isEmpty, isObject, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import type { GatedPod } from '../../../common/strategy/gate.ts'
import { type SliceView, serviceView, type TrafficView } from '../../../common/surroundings/traffic.ts'
import { statusCount } from '../../../common/workload/status.ts'
import type { Write } from '../../../common/writes/write.ts'

export interface Services {
  readonly active?: KubeObject | undefined
  readonly preview?: KubeObject | undefined
}

/**
 * A Service that selects the pods of the source, and those of its forks. By another label than `app` it selects those
 * of the source only.
 */
export const aService = (name: string, selector: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, resourceVersion: '30' },
  spec: { selector: { app: 'cart', ...selector } },
})

interface Workloads {
  readonly source: KubeObject | undefined
  readonly fork: KubeObject | undefined
  readonly pods: readonly GatedPod[]
}

/** What the caches of the controller have of the Services. */
export function trafficOf({ active, preview }: Services, workloads: Workloads): TrafficView {
  const services = [active, preview].filter((service) => service !== undefined)
  return {
    services: services.flatMap((service) => serviceView(service) ?? []),
    slices: services.map((service) => sliceOf(service, workloads)),
  }
}

function sliceOf(service: KubeObject, { source, fork, pods }: Workloads): SliceView {
  const { metadata, spec } = service
  const { app, [EXPERIMENT_ID]: id, ...ofLeader } = objectOr(at(spec, 'selector'))
  const all = objectOr(spec).publishNotReadyAddresses === true
  const isSelected =
    fork && app === 'cart' && (id === undefined || id === fork.metadata.name.slice(-10)) && isEmpty(ofLeader)
  const ofSource = source && app === 'cart' && id === undefined ? statusCount(source, 'availableReplicas') : 0
  const ofFork =
    isSelected && hasPorts(service, fork) ? pods.filter(({ isReady }) => isReady || all).map(({ name }) => name) : []
  const names = [...Array.from({ length: ofSource }, (_, index) => `cart-${index}`), ...ofFork]
  const { ports } = serviceView(service) ?? {}
  const ready = names.map((name) => ({ address: name, pod: name }))
  return { service: metadata.name, ready, ...(ports ? { ports } : {}) }
}

/** Whether pods of `workload` have each port to which a Service sends by name. */
function hasPorts(service: KubeObject, { spec }: KubeObject): boolean {
  const containers = listOr(at(spec, 'template', 'spec', 'containers'))
  const named = containers.flatMap((container) => listOr(at(container, 'ports'))).map((port) => at(port, 'name'))
  return (serviceView(service)?.portNames ?? []).every((port) => named.includes(port))
}

/** `services` after a write of one of them, with the fields that the API server then knows as ours. */
export function withSelector(services: Services, { of, patch }: Extract<Write, { verb: 'patch' }>): Services {
  const spec = mergePatch(objectOr(of.spec) as JsonObject, objectOr(patch.spec) as JsonObject)
  const entries = of.metadata.managedFields ?? []
  const field = 'f:publishNotReadyAddresses'
  const wasOurs = entries.some(({ manager, fieldsV1 }) => manager === FIELD_MANAGER && at(fieldsV1, 'f:spec', field))
  // a write owns what it changes, and keeps what it owned before
  const isOurs = wasOurs || objectOr(of.spec).publishNotReadyAddresses !== true
  const published = isOurs && isObject(spec) && spec.publishNotReadyAddresses === true
  const fieldsV1 = { 'f:spec': published ? { [field]: {} } : {} }
  const others = entries.filter(({ manager }) => manager !== FIELD_MANAGER)
  const managedFields = [...others, { manager: FIELD_MANAGER, operation: 'Update', fieldsV1 }]
  const written = { ...of, metadata: { ...of.metadata, managedFields }, spec }
  return of.metadata.name === services.active?.metadata.name
    ? { ...services, active: written }
    : { ...services, preview: written }
}

/** `shared` or the id of the only experiment to which a Service sends. */
export const pinOf = (service: KubeObject | undefined): unknown =>
  at(service, 'spec', 'selector', EXPERIMENT_ID) ?? 'shared'
