import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { forkAndSource, type SpecFacts } from '../facts/facts.ts'
import { isEmpty } from '../json/json.ts'
import { scales, selectsPods, type TrafficInput, trafficInput, withoutPin } from '../surroundings/pod-labels.ts'
import { missingPorts } from '../surroundings/ports.ts'
import { concernsSource, maySelect, maySelectLater } from '../surroundings/shares.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'

/** What leads to pods of a source and not to those of its fork. */
interface Leaving {
  /** `service/cart`, or `the port http of service/cart` */
  readonly name: string
  /** the Service, if it selects all pods of the source now, or those of one revision; absent: it may select some */
  readonly service?: ServiceView
}

/**
 * What would get fewer pods if `fork` grew instead of its source: the Services, or the ports of one, that lead to pods
 * of the source and not to those of the fork, and those of which that is not known. A Service that sends only to an
 * experiment counts as it will be without that. Undefined while the Services, or the source, are not known.
 */
export function leavingServices(facts: SpecFacts, fork: KubeObject | undefined): readonly Leaving[] | undefined {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair?.source || !traffic) return undefined
  const { source } = pair
  const pods = trafficInput(pair)
  const unread = (traffic.unread ?? []).filter(({ name }) => name.startsWith('service/'))
  const all = [
    ...traffic.services.flatMap((service) => leaving(service, source, pods)),
    ...unread.map(({ name, unread }) => ({ name: `${name} (${unread})` })),
  ]
  return all.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** By what `service` leads to the source alone; none: by nothing. */
function leaving(service: ServiceView, source: KubeObject, pods: TrafficInput): readonly Leaving[] {
  const selector = withoutPin(service.selector)
  if (isEmpty(selector)) return [] // it is for one experiment alone
  const shared = { ...service, selector }
  const name = `service/${service.name}`
  if (service.beyond !== undefined) return maySelect(shared, pods) ? [{ name: `${name} (${service.beyond})` }] : []
  if (!concernsSource(shared, pods)) {
    const joinsLater = pods.source && maySelectLater(shared, source, pods.source) && !mayJoin(shared, pods)
    return joinsLater ? [{ name }] : []
  }
  const of = Object.hasOwn(service.selector, EXPERIMENT_ID) ? {} : { service }
  if (!selectsPods(shared, pods.fork)) return [{ name, ...of }]
  const ports = missingPorts(service, pods).filter(pods.sourceHasPort)
  return ports.length === 0
    ? []
    : [{ name: `the ${ports.length === 1 ? 'port' : 'ports'} ${listed(ports)} of ${name}`, ...of }]
}

/** Whether pods of the fork may get the labels by which pods of the source join `service` while they run. */
const mayJoin = ({ selector }: ServiceView, { fork, source }: TrafficInput): boolean =>
  Object.entries(selector).every(([key, value]) => fork.labels[key] === value || source?.labels[key] !== value)

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
export function autoscaled(
  { surroundings }: Pick<SpecFacts, 'surroundings'>,
  source: KubeObject,
): Autoscaled | undefined {
  const name = shortNameOf(source)
  const neighbours = knownValue(surroundings.neighbours)
  const found = neighbours?.autoscalers.find(scales(source))
  if (found) {
    const keda = found.scaledObject === undefined ? '' : ` of KEDA's scaledobject/${found.scaledObject}`
    return { isUnknown: false, message: `hpa/${found.name}${keda} scales ${name}` }
  }
  const unread = neighbours?.unread?.find((each) => each.name.startsWith('hpa/'))
  if (neighbours && !neighbours.areAutoscalersHidden && !unread) return undefined
  const why = unread ? `${unread.name}: ${unread.unread}` : 'the autoscalers cannot be read'
  return { isUnknown: true, message: `whether an autoscaler scales ${name} is not known (${why})` }
}
