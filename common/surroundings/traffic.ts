import { beyond, FOREIGN_BOUNDS, firstPairs } from '../api/limits.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject, Labels, UnreadView } from '../api/object.ts'
import { PER_POD_LABELS } from '../api/template-metadata.ts'
import { at, listOr, member, objectOr } from '../json/json.ts'

/** What is needed of a Service to compute a share. */
export interface ServiceView {
  readonly name: string
  /** with `beyond`, only a part of it */
  readonly selector: Labels
  /** what of it is not known, such as `spec.selector has 95000 entries, more than 64`; absent: all is known */
  readonly beyond?: string
  /** DNS returns the addresses of the pods */
  readonly isHeadless?: boolean
  /** the ports of pods to which it sends by name: pods without such a port get no requests of it */
  readonly portNames?: readonly string[]
  /** set only beside `portNames`: it sends to other ports by number */
  readonly hasPortNumbers?: boolean
  /** set if it has the annotation of Argo Rollouts on the Services that it manages */
  readonly isManagedByArgo?: boolean
  /** its endpoints count as ready whether or not the pods are */
  readonly publishesNotReady?: boolean
  /** the annotation by which a load balancer sends to pods directly, also to those that are not ready */
  readonly balancedBy?: string
  /** who declares the selector; only in a review, because the caches of the controller have no field managers */
  readonly declaredBy?: string
  /** the following are set only if they change the share */
  readonly sessionAffinity?: string
  readonly internalTrafficPolicy?: string
  readonly externalTrafficPolicy?: string
  readonly trafficDistribution?: string
  /** the annotation `service.kubernetes.io/topology-mode`, or its former name */
  readonly topologyMode?: string
}

/** What is needed of an EndpointSlice to compute a share: its ready pods, unless no request reaches them. */
export interface SliceView {
  readonly service: string
  readonly ready: readonly { readonly uid: string; readonly pod: string }[]
}

/** The load balancers of AWS and Google do not wait for a readiness gate that they do not know. */
const BALANCED: readonly (readonly [string, string])[] = [
  ['service.beta.kubernetes.io/aws-load-balancer-nlb-target-type', 'ip'],
  ['service.beta.kubernetes.io/aws-load-balancer-type', 'nlb-ip'],
  ['alb.ingress.kubernetes.io/target-type', 'ip'],
]
const NEG = 'cloud.google.com/neg'

const ARGO_MANAGED = 'argo-rollouts.argoproj.io/managed-by-rollouts'

/** The projection of a Service; undefined if it selects no pods. */
export function serviceView({ metadata, spec }: KubeObject): ServiceView | undefined {
  const { selector, type, clusterIP, ports, sessionAffinity, internalTrafficPolicy, trafficDistribution, ...others } =
    objectOr(spec)
  const labels = objectOr(selector) as Labels
  const keys = Object.keys(labels) // once: of 95,000 it takes 20 ms
  if (type === 'ExternalName' || keys.length === 0) return undefined
  const unknown = beyondOf(keys, ports)
  return {
    name: metadata.name,
    selector: firstPairs(labels, keys, { most: FOREIGN_BOUNDS.selectorEntries, asked: ASKED }),
    ...(unknown === undefined ? {} : { beyond: unknown }),
    ...(clusterIP === 'None' ? { isHeadless: true } : portNamesOf(ports)),
    ...(metadata.annotations?.[ARGO_MANAGED] === undefined ? {} : { isManagedByArgo: true }),
    ...(others.publishNotReadyAddresses === true ? { publishesNotReady: true } : {}),
    ...balancedBy(metadata.annotations ?? {}),
    ...(sessionAffinity === 'ClientIP' ? { sessionAffinity } : {}),
    ...(internalTrafficPolicy === 'Local' ? { internalTrafficPolicy } : {}),
    ...(others.externalTrafficPolicy === 'Local' ? { externalTrafficPolicy: 'Local' } : {}),
    ...(typeof trafficDistribution === 'string' ? { trafficDistribution } : {}),
    ...topologyModeOf(metadata.annotations ?? {}),
  }
}

/** The keys of a selector that say whose Service it is. They are kept, whatever their number. */
const ASKED: readonly string[] = [EXPERIMENT_ID, ...PER_POD_LABELS]

function beyondOf(keys: readonly string[], ports: unknown): string | undefined {
  const entries = beyond(keys.length, 'selectorEntries', 'entries')
  if (entries !== undefined) return `spec.selector has ${entries}`
  const found = beyond(listOr(ports).length, 'servicePorts', 'entries')
  return found && `spec.ports has ${found}`
}

/** Reads the annotation as `hintsEnabled` of Kubernetes does. */
function topologyModeOf(annotations: Labels): Pick<ServiceView, 'topologyMode'> {
  const [former, present] = ['aware-hints', 'mode'].map((name) => annotations[`service.kubernetes.io/topology-${name}`])
  const mode = former ?? present
  return mode === 'Auto' || mode === 'auto' ? { topologyMode: 'Auto' } : {}
}

function balancedBy(annotations: Labels): Pick<ServiceView, 'balancedBy'> {
  // GKE gives the first of its annotations to each Service, and the second one to those behind a load balancer
  if (annotations[NEG] !== undefined && annotations[`${NEG}-status`] !== undefined) return { balancedBy: NEG }
  const [found] = BALANCED.find(([name, value]) => annotations[name] === value) ?? []
  return found === undefined ? {} : { balancedBy: found }
}

function portNamesOf(ports: unknown): Pick<ServiceView, 'portNames' | 'hasPortNumbers'> {
  const targets = listOr(ports)
    .slice(0, FOREIGN_BOUNDS.servicePorts)
    .map((port) => member(port, 'targetPort'))
  const portNames = [...new Set(targets.filter((target) => typeof target === 'string'))]
  if (portNames.length === 0) return {}
  return { portNames, ...(targets.some((target) => typeof target !== 'string') ? { hasPortNumbers: true } : {}) }
}

/** The projection of an EndpointSlice; undefined if it belongs to no Service. */
export function sliceView(slice: KubeObject): SliceView | undefined {
  const service = slice.metadata.labels?.['kubernetes.io/service-name']
  if (service === undefined) return undefined
  // pods that have none of the named ports of a Service are in a separate slice without ports
  const hasPorts = !(slice.ports === null || (Array.isArray(slice.ports) && slice.ports.length === 0))
  const isHeadless = Object.hasOwn(slice.metadata.labels ?? {}, 'service.kubernetes.io/headless')
  const ready = (hasPorts || isHeadless ? listOr(slice.endpoints) : [])
    .filter((endpoint) => at(endpoint, 'conditions', 'ready') !== false)
    .map((endpoint) => objectOr(at(endpoint, 'targetRef')))
    .filter(({ kind }) => kind === 'Pod')
    .map(({ uid, name }) => ({ uid: String(uid), pod: String(name) }))
  return { service, ready }
}

/** The Services and the EndpointSlices of a namespace. */
export interface TrafficView {
  readonly services: readonly ServiceView[]
  readonly slices: readonly SliceView[]
  /** those of the namespace that are too large to be read: any of them may concern the fork. Absent: there is none */
  readonly unread?: readonly UnreadView[]
}
