import { warning, warningsAbout } from '../api/conditions.ts'
import { selects } from '../api/label-selector.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { UnreadView } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { at, isEmpty, isObject, listOr } from '../json/json.ts'
import { optionalClause, type Part } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { autoscalers } from './autoscalers.ts'
import type { Neighbours } from './neighbours.ts'
import {
  type ForkAndSource,
  isPinningSelector,
  missingLabels,
  type PodLabels,
  scales,
  selectsPods,
  sourcePod,
  type TrafficInput,
  withoutPin,
} from './pod-labels.ts'
import type { ServiceView } from './traffic.ts'

interface CollisionInput {
  readonly pair: ForkAndSource
  readonly pods: TrafficInput
  readonly services: readonly ServiceView[]
  readonly neighbours: Neighbours
  /** Services and EndpointSlices that are too large to be read */
  readonly unread?: readonly UnreadView[] | undefined
}

/** Objects that treat the fork differently from its source, or that count the pods of both. One warning per reason. */
export const collisions = (input: CollisionInput): readonly Warning[] => [
  ...services(input),
  ...bypasses(input),
  ...policies(input),
  ...autoscalers(input.pair, input.neighbours.autoscalers),
  ...budgets(input),
  ...affinities(input),
  ...notCompared(input),
]

const namesOf = (kind: string, objects: Iterable<{ readonly name: string }>): readonly string[] =>
  Array.from(objects, ({ name }) => `${kind}/${name}`).sort()

/** The objects that concern only the pods of the fork, and those that concern only the pods of the source. */
function split<T>(
  objects: readonly T[],
  { fork, source }: TrafficInput,
  concerns: (of: T, pods: PodLabels) => boolean,
) {
  if (!source) return { joined: new Set<T>(), left: new Set<T>() }
  const ofFork = new Set(objects.filter((each) => concerns(each, fork)))
  const ofSource = new Set(objects.filter((each) => concerns(each, source)))
  return { joined: ofFork.difference(ofSource), left: ofSource.difference(ofFork) }
}

function services({ pods, services: all }: CollisionInput): readonly Warning[] {
  const common = all.filter(({ selector }) => !isPinningSelector(selector))
  const { joined, left } = split(common, pods, (service, of) => selectsPods(withShared(service), of))
  const lacking = [...left].flatMap(({ selector }) => missingLabels(selector, pods.fork))
  const pairs = [...new Set(lacking.map(([key, value]) => `${key}=${value}`))].sort()
  const [joins, leaves] = [namesOf('service', joined), namesOf('service', left)]
  return [
    ...warningsAbout('JoinsService', joins, (all) => ['the fork gets requests from ', all, ', the source does not']),
    ...warningsAbout('LeavesService', leaves, (all) => [
      'the fork gets no requests from ',
      all,
      ': it lacks ',
      shortenedList(pairs, 2),
    ]),
  ]
}

/**
 * A Service without the pair of its selector that a blue-green adds. A Service for one fork alone has only that pair,
 * so it stays.
 */
function withShared(service: ServiceView): ServiceView {
  const selector = withoutPin(service.selector)
  return isEmpty(selector) ? service : { ...service, selector }
}

/** What sends to pods of a gated fork before they are opened. A Service for experiments alone is meant to. */
function bypasses({ pair: { fork, isBalanced }, pods, services }: CollisionInput): readonly Warning[] {
  if (!isGatedFork(fork)) return []
  const found = services
    .filter((service) => !Object.hasOwn(service.selector, EXPERIMENT_ID) && selectsPods(service, pods.fork))
    .flatMap(({ name, publishesNotReady, balancedBy }) => {
      const by = publishesNotReady ? 'publishNotReadyAddresses' : balancedBy
      return by === undefined ? [] : [`service/${name} (${by})`]
    })
  const all = found.length === 0 && isBalanced ? ['a load balancer (its readiness gate is in them)'] : found.sort()
  return warningsAbout('GateBypassed', all, (names) => ['pods that are shut get requests from ', names])
}

function policies({ pods, neighbours: { networkPolicies } }: CollisionInput): readonly Warning[] {
  const { joined, left } = split(networkPolicies, pods, ({ selector }, { labels }) => selects(selector, labels))
  const [joins, leaves] = [namesOf('networkpolicy', joined), namesOf('networkpolicy', left)]
  return [
    ...warningsAbout('JoinsNetworkPolicy', joins, (all) => ['the fork is subject to ', all, ', the source is not']),
    ...warningsAbout('LeavesNetworkPolicy', leaves, (all) => ['the source is subject to ', all, ', the fork is not']),
  ]
}

function budgets({ pods, neighbours }: CollisionInput): readonly Warning[] {
  const ofFork = neighbours.budgets.filter(({ selector }) => selects(selector, pods.fork.labels))
  const { joined } = split(ofFork, pods, ({ selector }, { labels }) => selects(selector, labels))
  const counting = ofFork.filter((budget) => !joined.has(budget))
  const several = ofFork.length > 1 ? ofFork : []
  const message = (all: Part) => [
    "the fork's pods count for ",
    all,
    optionalClause(' and change how many evictions are allowed'),
  ]
  return [
    ...warningsAbout('CountedByPDB', namesOf('pdb', counting), message),
    ...warningsAbout('JoinsPDB', namesOf('pdb', joined), (all) => [
      'the fork counts for ',
      all,
      ', the source does not',
    ]),
    ...warningsAbout('SeveralPDBs', namesOf('pdb', several), (all) => [
      "the fork's pods can never be evicted, because they count for ",
      all,
    ]),
  ]
}

/** Objects that may act on the pods, but are too large to be compared with them. */
function notCompared({ pair: { source, fork }, neighbours, unread = [] }: CollisionInput): readonly Warning[] {
  const scaling = neighbours.autoscalers
    .filter((each) => scales(fork)(each) || (source && scales(source)(each)))
    .flatMap(({ name, beyond }) => (beyond === undefined ? [] : [{ name: `hpa/${name}`, unread: beyond }]))
  const found = [...unread, ...scaling, ...(neighbours.unread ?? [])].map(({ name, unread }) => `${name} (${unread})`)
  return warningsAbout('NotCompared', found.sort(), (names) => ['not compared with the pods: ', names])
}

/**
 * Scheduling rules that separate the fork's pods from those of the source. Required anti-affinity holds both ways: a
 * pod is not placed beside another one whose term selects it. So the terms of the source count, too.
 */
function affinities({ pair, pods: { fork, source } }: CollisionInput): readonly Warning[] {
  if (!source) return []
  const pod = at(pair.fork, 'spec', 'template', 'spec')
  const isApart =
    antiAffinity(pod).some(isShared(fork, source)) || antiAffinity(sourcePod(pair)?.spec).some(isShared(source, fork))
  const isSpread = listOr(at(pod, 'topologySpreadConstraints'))
    .filter((constraint) => at(constraint, 'whenUnsatisfiable') === 'DoNotSchedule')
    .some(isShared(fork, source))
  const [apart, spread] = [
    'required anti-affinity keeps the pods of fork and source apart: pods of both may stay Pending',
    "the source's pods count for the topology spread too: pods may stay Pending",
  ]
  if (isApart) return [warning('SharedAffinity', apart, ...(isSpread ? [optionalClause(`; ${spread}`)] : []))]
  return isSpread ? [warning('SharedAffinity', spread)] : []
}

const antiAffinity = (pod: unknown) =>
  listOr(at(pod, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'))

/** Whether a rule of the pods `own` applies to the pods `others` as well. */
const isShared =
  (own: PodLabels, others: PodLabels) =>
  (term: unknown): boolean =>
    isObject(term) &&
    selects(term.labelSelector, others.labels) &&
    // such a key applies the rule to each revision separately, and the fork is another revision
    ![...listOr(term.matchLabelKeys)].some(
      (key) => isPinningSelector({ [String(key)]: '' }) || own.labels[String(key)] !== others.labels[String(key)],
    )
