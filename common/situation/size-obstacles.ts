import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID, FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { forkAndSource, type SpecFacts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { returnCommand } from '../scaling/record.ts'
import { sizeDeclaredBy } from '../strategy/declared.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { scales, trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource, selectsTemplate } from '../surroundings/shares.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'

/**
 * What would get fewer pods if `fork` grew instead of its source: the Services, or the ports of one, that lead to pods
 * of the source and not to those of the fork, and those of which that is not known. A Service that sends only to an
 * experiment counts as it will be without that. Undefined while the Services, or the source, are not known.
 */
export function leavingServices(facts: SpecFacts, fork: KubeObject | undefined): readonly string[] | undefined {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair?.source || !traffic) return undefined
  const { source } = pair
  const pods = trafficInput(pair)
  const unread = (traffic.unread ?? []).filter(({ name }) => name.startsWith('service/'))
  const shared = traffic.services.map((service) => ({ ...service, selector: withoutPin(service.selector) }))
  return [
    // a Service for one experiment alone has no other pair
    ...shared.filter(({ selector }) => !isEmpty(selector)).flatMap((service) => leaving(service, source, pods)),
    ...unread.map(({ name, unread }) => `${name} (${unread})`),
  ].sort()
}

/** By what `service` leaves the source alone; none: by nothing. */
function leaving(service: ServiceView, source: KubeObject, pods: TrafficInput): readonly string[] {
  const name = `service/${service.name}`
  if (service.beyond !== undefined) return maySelect(service, pods) ? [`${name} (${service.beyond})`] : []
  const isOfSource = concernsSource(service, pods)
  if (isOfSource) return selectsPods(service, pods.fork) ? leavingPorts(service, pods) : [name]
  return pods.source && maySelectLater(service, source, pods.source) && !mayJoin(service, pods) ? [name] : []
}

/** Whether pods of the fork may get the labels by which pods of the source join `service` while they run. */
const mayJoin = ({ selector }: ServiceView, { fork, source }: TrafficInput): boolean =>
  Object.entries(selector).every(([key, value]) => fork.labels[key] === value || source?.labels[key] !== value)

/** The ports of `service` that only pods of the source have. */
function leavingPorts(service: ServiceView, pods: TrafficInput): readonly string[] {
  const missing = missingPorts(service, pods).filter(pods.sourceHasPort)
  return missing.length === 0
    ? []
    : [`the ${missing.length === 1 ? 'port' : 'ports'} ${listed(missing)} of service/${service.name}`]
}

/** The Services of the source that send only to another experiment than that of `fork`; none while they are not known. */
export function takenServices(facts: SpecFacts, fork: KubeObject | undefined): readonly string[] {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const pods = trafficInput(pair)
  return traffic.services
    .filter(
      ({ selector }) =>
        Object.hasOwn(selector, EXPERIMENT_ID) && selector[EXPERIMENT_ID] !== pods.fork.labels[EXPERIMENT_ID],
    )
    .filter((service) => concernsSource(service, pods))
    .map(({ name }) => `service/${name}`)
    .sort()
}

/** Whether an autoscaler decides the size of a source. */
interface Autoscaled {
  /** whether it is only not known that none does */
  readonly isUnknown: boolean
  readonly message: string
}

/**
 * The autoscaler of `source`, which no canary may scale then: also one that KEDA made, or perhaps one that cannot be
 * read. Undefined: there is none.
 */
export function mustReturn({ facts }: SpecSituation, { isServing, bounds }: Scaling): boolean {
  const traffic = knownValue(facts.surroundings.traffic)
  if (!isServing || !traffic) return false
  const services = leavingServices(facts, knownValue(facts.fork)) ?? []
  return services.some(({ service }) => service && readyEndpoints(traffic.slices, service).listedPods < bounds.least)
}

/**
 * Whether an autoscaler that is there now decides the size of the source, which is smaller. Nobody has set its size
 * yet: then the run is held for that, and the source keeps the number.
 */
export const isTakenByAutoscaler = ({ facts }: SpecSituation, { isServing, stored, source }: Scaling): boolean =>
  isServing && stored?.changedFrom === undefined && autoscaled(facts, source)?.isUnknown === false

/** Why the source may not get smaller now; undefined if it may. Policies are not asked. */
export function shrinkObstacle(situation: SpecSituation, scaling: Scaling): Decision | undefined {
  const { facts, installed } = situation
  const { source } = scaling
  const name = shortNameOf(source)
  if (!installed.promotion) return withoutComponent(scaling)
  if (facts.isExcluded)
    return stalled('NamespaceExcluded', `nobody checks permissions in this namespace, so ${name} keeps its size`)
  return (
    busy(facts, scaling) ??
    leavesService(facts, source) ??
    autoscaled(facts, source) ??
    declared(source) ??
    unsettled(facts, source) ??
    unowned(facts)
  )
}

/** Without the component nobody may write the source, so a person has to give the source its pods back. */
export function withoutComponent({ source, isServing, size }: Scaling): Decision {
  const message = `this installation has no component "promotion", so ${shortNameOf(source)} keeps its size`
  return stalled(
    'NotInstalled',
    isServing ? `${message}; the fork stays; give the pods back: ${returnCommand(source, size)}` : message,
  )
}
