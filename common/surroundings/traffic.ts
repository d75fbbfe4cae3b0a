import { beyond, FOREIGN_BOUNDS, firstPairs } from '../api/limits.ts'
import { EXPERIMENT_ID, IS_PREVIEW } from '../api/names.ts'
import type { KubeObject, Labels, UnreadView } from '../api/object.ts'
import { PER_POD_LABELS } from '../api/template-metadata.ts'
import { at, listOr, member, objectOr, textOr } from '../json/json.ts'

/** What is needed of a Service to compute a share. */
export interface ServiceView {
  readonly name: string
  /** with `beyond`, only a part of it */
  readonly selector: Labels
  /** what of it is not known, such as `spec.selector has 95000 entries, more than 64`; absent: all is known */
  readonly beyond?: string
  /** DNS returns the addresses of the pods */
  readonly isHeadless?: boolean
  /** its IP families; absent: IPv4 alone */
  readonly families?: readonly string[]
  /** its ports as slices have them, such as `TCP http`; absent: one TCP port without a name */
  readonly ports?: readonly string[]
  /** the label by which another program than kube-proxy sends its requests */
  readonly proxy?: string
  /** the ports of pods to which it sends by name: pods without such a port get no requests of it */
  readonly portNames?: readonly string[]
  /** set only beside `portNames`: it sends to other ports by number */
  readonly hasPortNumbers?: boolean
  /** set if it has the annotation of Argo Rollouts on the Services that it manages */
  readonly isManagedByArgo?: boolean
  /** set if its owner declared it as a preview */
  readonly isPreview?: boolean
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

/** What is needed of an EndpointSlice to compute a share: its ready endpoints, unless no request reaches them. */
export interface SliceView {
  readonly service: string
  /** `pod` is absent where the address is no pod's */
  readonly ready: readonly { readonly address: string; readonly pod?: string }[]
  /** the type of its addresses; absent: IPv4 */
  readonly family?: string
  /** as those of a Service */
  readonly ports?: readonly string[]
  readonly proxy?: string
  /** the numbers of its ports; only of the API servers */
  readonly apiPorts?: readonly number[]
  /** for DNS alone: kube-proxy does not read it */
  readonly isHeadless?: boolean
}

/** Where the Service of the API servers is. */
export const API_NAMESPACE = 'default'
const API_SERVICE = 'kubernetes'

const PROXY = 'service.kubernetes.io/service-proxy-name'
const HEADLESS = 'service.kubernetes.io/headless'

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
  const families = listOr(others.ipFamilies).map(String)
  const labels = objectOr(selector) as Labels
  const keys = Object.keys(labels) // once: of 95,000 it takes 20 ms
  if (type === 'ExternalName' || keys.length === 0) return undefined
  const unknown = beyondOf(keys, ports)
  return {
    name: metadata.name,
    selector: firstPairs(labels, keys, { most: FOREIGN_BOUNDS.selectorEntries, asked: ASKED }),
    ...(unknown === undefined ? {} : { beyond: unknown }),
    ...(clusterIP === 'None' ? { isHeadless: true } : { ...portNamesOf(ports), ...portsOf(ports) }),
    ...(families.length === 0 || isOnly(families, IPV4) ? {} : { families }),
    ...proxyOf(metadata.labels),
    ...(metadata.annotations?.[ARGO_MANAGED] === undefined ? {} : { isManagedByArgo: true }),
    ...(metadata.annotations?.[IS_PREVIEW] === 'true' ? { isPreview: true } : {}),
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

const IPV4 = 'IPv4'
const NAMELESS = 'TCP '

const isOnly = (list: readonly string[], value: string): boolean => list.length === 1 && list[0] === value

/** A port of a Service and of its slices have the same name and protocol. */
function portsOf(of: unknown): Pick<SliceView, 'ports'> {
  const all = listOr(of).slice(0, FOREIGN_BOUNDS.servicePorts)
  const ports = all.map((port) => `${textOr(member(port, 'protocol'), 'TCP')} ${textOr(member(port, 'name'), '')}`)
  return ports.length === 0 || ports.every((port) => port === NAMELESS) ? {} : { ports }
}

const numbersOf = (ports: unknown): readonly number[] =>
  listOr(ports)
    .slice(0, FOREIGN_BOUNDS.servicePorts)
    .map((port) => Number(member(port, 'port')))

function proxyOf(labels: Labels | undefined): Pick<SliceView, 'proxy'> {
  const proxy = labels?.[PROXY]
  return proxy === undefined ? {} : { proxy }
}

/** The projection of an EndpointSlice; undefined if it belongs to no Service. */
export function sliceView(slice: KubeObject): SliceView | undefined {
  const { labels = {} } = slice.metadata
  const service = labels['kubernetes.io/service-name']
  if (service === undefined) return undefined
  // pods that have none of the named ports of a Service are in a separate slice without ports
  const hasPorts = !(slice.ports === null || (Array.isArray(slice.ports) && slice.ports.length === 0))
  const isHeadless = Object.hasOwn(labels, HEADLESS)
  const ready = (hasPorts || isHeadless ? listOr(slice.endpoints) : [])
    .filter((endpoint) => at(endpoint, 'conditions', 'ready') !== false)
    .map((endpoint) => {
      // kube-proxy uses the first address only
      const address = textOr(listOr(member(endpoint, 'addresses'))[0], '')
      const { kind, name } = objectOr(member(endpoint, 'targetRef'))
      return kind === 'Pod' ? { address, pod: String(name) } : { address }
    })
  const family = textOr(slice.addressType, IPV4)
  return {
    ...{ service, ready },
    ...(family === IPV4 ? {} : { family }),
    ...(isHeadless ? { isHeadless } : portsOf(slice.ports)),
    ...(service === API_SERVICE && slice.metadata.namespace === API_NAMESPACE
      ? { apiPorts: numbersOf(slice.ports) }
      : {}),
    ...proxyOf(labels),
  }
}

/** What decides which slices a Service sends to. */
export type Sender = Pick<ServiceView, 'name' | 'isHeadless' | 'families' | 'ports' | 'proxy'>

/** The IP families of a Service. */
export const familiesOf = ({ families = [IPV4] }: Sender): readonly string[] => families

/**
 * The family of the addresses of `slice`, if requests to `service` reach them: undefined for a slice that kube-proxy
 * reads for no Service of this kind, whoever wrote it.
 */
export function familyReached(service: Sender, { family = IPV4, ports, proxy, isHeadless }: SliceView) {
  if (!familiesOf(service).includes(family)) return undefined
  if (service.isHeadless) return family
  const own: ReadonlySet<string> = new Set(service.ports ?? [NAMELESS])
  const isRead = !isHeadless && proxy === service.proxy && (ports ?? [NAMELESS]).some((port) => own.has(port))
  return isRead ? family : undefined
}

/** The Services and the EndpointSlices of a namespace. */
export interface TrafficView {
  readonly services: readonly ServiceView[]
  readonly slices: readonly SliceView[]
  /** those of the namespace that are too large to be read: any of them may concern the fork. Absent: there is none */
  readonly unread?: readonly UnreadView[]
}
