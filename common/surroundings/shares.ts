import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { PER_POD_LABELS } from '../api/template-metadata.ts'
import type { ServiceShare } from '../api/types.ts'
import { at, objectOr } from '../json/json.ts'
import type { ServiceEndpoints } from '../policy/policy.ts'
import { listed } from '../text/list.ts'
import { percent } from '../text/percent.ts'
import { ROLLOUT_HASH } from '../workload/stable-template.ts'
import { type ReadyEndpoints, readyEndpoints } from './endpoints.ts'
import { hasPairs, missingLabels, type PodLabels, selectsPods, type TrafficInput } from './pod-labels.ts'
import { hasNoOthers, missingPorts } from './ports.ts'
import type { ServiceView, SliceView, TrafficView } from './traffic.ts'

/** Labels by which a Service can select a single pod of a StatefulSet. */
const POD_LABELS = ['statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index']
const MAX_SERVICES = 32

/**
 * The entries of `status.services`, at most 32: the Services that select the fork or its source, by name, and then
 * those of which that is not known.
 */
export function serviceShares({ services, slices }: TrafficView, input: TrafficInput): readonly ServiceShare[] {
  const isUnknown = ({ beyond }: ServiceView) => Number(beyond !== undefined)
  return services
    .filter((service) => concernsAny(service, slices, input))
    .sort((a, b) => isUnknown(a) - isUnknown(b) || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SERVICES)
    .map((service) => row(service, slices, input))
}

/** The names of the Services that select, or may select, the fork or its source: also a single pod or revision. */
export const concernedServices = ({ services, slices }: TrafficView, input: TrafficInput): readonly string[] =>
  services.filter((service) => concernsAny(service, slices, input)).map(({ name }) => name)

const concernsAny = (service: ServiceView, slices: readonly SliceView[], input: TrafficInput): boolean =>
  concerns(service, input.fork) ||
  concernsSource(service, input) ||
  maySelect(service, input) ||
  hasJoined(service, slices, input)

/** Whether `service` selects pods of the source, possibly a single pod or revision. */
export const concernsSource = (service: ServiceView, { source }: TrafficInput): boolean =>
  source !== undefined && concerns(service, source)

/**
 * Whether the selector matches the pods, possibly only a single pod or revision of them, or only while no experiment
 * has the Service.
 */
const concerns = (service: ServiceView, pods: PodLabels): boolean =>
  service.beyond === undefined && matches(service, pods)

/** Whether it is not known if `service` selects the fork or its source. A pair that both lack would tell. */
export const maySelect = (service: ServiceView, { fork, source }: TrafficInput): boolean =>
  service.beyond !== undefined && (matches(service, fork) || (source !== undefined && matches(service, source)))

/** Whether the pods have all that is known of the selector, or have it but for one pod, revision or experiment. */
function matches({ selector }: ServiceView, pods: PodLabels): boolean {
  for (const key in selector) if (!NOT_COMMON.includes(key)) return hasPairs(selector, pods, NOT_COMMON)
  return hasPairs(selector, pods)
}

const NOT_COMMON: readonly string[] = [EXPERIMENT_ID, ...PER_POD_LABELS]

/** Whether the template of the fork has every label by which `service` selects. */
export const selectsTemplate = (service: ServiceView, { fork }: Pick<TrafficInput, 'fork'>): boolean =>
  selectsPods(service, fork)

/**
 * Whether `service` may select pods of the source that have got a label while they run, as the leader of a database
 * does: it selects by the labels of the source's own selector, and by others that the template lacks.
 */
export function maySelectLater(service: ServiceView, source: KubeObject, pods: PodLabels): boolean {
  const own = Object.entries(objectOr(at(source.spec, 'selector', 'matchLabels')))
  const selectsOwn = own.length > 0 && own.every(([key, value]) => service.selector[key] === value)
  return selectsOwn && lacksOnlyLater(service, [pods])
}

/**
 * Whether pods of the fork have joined `service` by such labels. Where templates have the labels, those pods are of a
 * former template, or have left the Service already. Of a selector that is not known, only the pods tell.
 */
function hasJoined(service: ServiceView, slices: readonly SliceView[], { fork, source, forkName }: TrafficInput) {
  const pods = source ? [fork, source] : [fork]
  if (service.beyond === undefined && !lacksOnlyLater(service, pods)) return false
  return readyEndpoints(slices, service, forkName).ofFork > 0
}

/** Whether pods of these templates lack labels of the selector, and all that they lack, pods may get while they run. */
function lacksOnlyLater({ selector }: ServiceView, templates: readonly PodLabels[]): boolean {
  let isLacking = false
  for (const key in selector) {
    if (templates.every((pods) => hasPairs({ [key]: selector[key] ?? '' }, pods))) continue
    if (PER_POD_LABELS.includes(key) || templates.some(({ labels }) => Object.hasOwn(labels, key))) return false
    isLacking = true
  }
  return isLacking
}

function row(service: ServiceView, slices: readonly SliceView[], input: TrafficInput): ServiceShare {
  const { name, selector } = service
  const endpoints = readyEndpoints(slices, service, input.forkName)
  const experimentEndpoints = endpoints.ofFork
  const counts = { experimentEndpoints, readyEndpoints: endpoints.all }
  const isJoined = hasJoined(service, slices, input)
  const missing = missingLabels(selector, input.fork)
  if (missing.length > 0 && !isJoined) return { name, selected: false, ...absence(service, missing, input), ...counts }
  if (service.beyond !== undefined && !isJoined)
    return { name, selected: false, reason: 'NotCompared', message: notCompared(service.beyond), ...counts }
  const unknownPorts = missingPorts(service, input)
  if (unknownPorts.length > 0 && hasNoOthers(service, unknownPorts)) {
    const names = unknownPorts.length > 2 ? listed(unknownPorts) : unknownPorts.join(' or ')
    const message = `no container of the fork has a port named ${names}`
    return { name, selected: false, reason: 'PortMissing', message, ...counts }
  }
  if (input.isRouted) {
    const message = 'selects the fork, but the Rollout routes the requests: the share is unknown'
    return { name, selected: true, reason: 'RoutedByRollout', message, ...counts }
  }
  const share = percent(experimentEndpoints, endpoints.all)
  const ofTwin = readyEndpoints(slices, service, input.twinName).ofFork
  const later = isJoined ? [service.beyond ?? `pods get ${pairsOf(missing)} while they run`] : []
  const caveats = [...later, ...shareCaveats(service, { ...endpoints, ofTwin }, input)]
  return {
    name,
    selected: true,
    ...(caveats.length > 0 ? { message: caveats.join('; ') } : {}),
    ...(share === undefined ? {} : { share }),
    ...counts,
  }
}

/**
 * How many of the `replicas` of a fork a Service selects that selects the fork. A label of a single pod selects one.
 */
export const selectedPods = ({ selector }: ServiceView, replicas: number): number =>
  POD_LABELS.some((key) => Object.hasOwn(selector, key)) ? Math.min(1, replicas) : replicas

const notCompared = (beyond: string): string => `${beyond}, so it is not known whether it selects the fork`

type Missing = ReturnType<typeof missingLabels>

const pairsOf = (missing: Missing): string => listed(missing.map(([key, value]) => `${key}=${value}`))

/** Why a Service does not select the fork. Reasons that no label of the template can change come first. */
function absence({ name, selector }: ServiceView, missing: Missing, { pinnedServices }: TrafficInput) {
  const pairs = pairsOf(missing)
  const isMissing = (key: string) => missing.some(([name]) => name === key)
  if (Object.hasOwn(selector, ROLLOUT_HASH)) {
    const limits = pinnedServices.includes(name) ? 'the Rollout limits it' : 'it is limited'
    const revision = `${ROLLOUT_HASH}=${selector[ROLLOUT_HASH]}`
    return { reason: 'PinnedByRollout', message: `${limits} to one revision: ${revision}` } as const
  }
  if (isMissing(EXPERIMENT_ID)) {
    const message = `it sends only to the experiment with the id ${selector[EXPERIMENT_ID]}`
    return { reason: 'ServiceIsTaken', message } as const
  }
  if (POD_LABELS.some(isMissing))
    return { reason: 'PinnedToPod', message: `it selects one pod of the source only (${pairs})` } as const
  return { reason: 'LabelsDoNotMatch', message: `the fork's pods lack ${pairs}` } as const
}

interface WithTwin extends ReadyEndpoints {
  /** pods of the twin */
  readonly ofTwin: number
}

/** Why the share of requests may differ from the share of endpoints. */
function shareCaveats(service: ServiceView, endpoints: WithTwin, input: TrafficInput): readonly string[] {
  const { sessionAffinity, internalTrafficPolicy, externalTrafficPolicy, trafficDistribution, topologyMode } = service
  const { ofTwin } = endpoints
  const others = endpoints.all - endpoints.others - endpoints.ofFork - ofTwin
  return [
    ...scaling(input),
    ...(sessionAffinity ? [`sessionAffinity ${sessionAffinity}: only new clients reach it`] : []),
    ...(internalTrafficPolicy
      ? [`internalTrafficPolicy ${internalTrafficPolicy}: only callers on its node reach it`]
      : []),
    ...(externalTrafficPolicy
      ? [`externalTrafficPolicy ${externalTrafficPolicy}: requests from outside are divided by node`]
      : []),
    ...(trafficDistribution ? [`trafficDistribution ${trafficDistribution}: nearby callers are preferred`] : []),
    ...(topologyMode ? [`topology-mode ${topologyMode}: nearby callers are preferred`] : []),
    ...(ofTwin > 0 ? [`${ofTwin} of the endpoints ${ofTwin === 1 ? 'belongs' : 'belong'} to its twin`] : []),
    ...(others > 0
      ? [`${others} of the endpoints ${others === 1 ? 'belongs to another experiment' : 'belong to other experiments'}`]
      : []),
  ]
}

function scaling({ autoscaler, replicas }: TrafficInput): readonly string[] {
  if (!autoscaler || replicas === 0) return []
  const { name, min, max } = autoscaler
  const [least, most] = [max, min].map((count) => percent(replicas, replicas + count))
  return [`${least} to ${most} while hpa/${name} scales the source`]
}

/** The number of ready endpoints, without pods of experiments, of each Service that selects the fork. */
export const endpointsOfOthers = (
  { services, slices }: TrafficView,
  input: TrafficInput,
): readonly ServiceEndpoints[] =>
  services
    .filter((service) => selectsTemplate(service, input) || hasJoined(service, slices, input))
    .map((service) => ({
      service: service.name,
      ready: readyEndpoints(slices, service).others,
      ...(isOfOnePod(service, input.fork) ? { isOfOnePod: true } : {}),
    }))

/** Whether a Service that selects `pods` selects by a label with which each of them differs from the others. */
const isOfOnePod = ({ selector }: ServiceView, pods: PodLabels): boolean =>
  Object.entries(selector).some(([key, value]) => POD_LABELS.includes(key) && pods.hasPerPodLabel(key, value))
