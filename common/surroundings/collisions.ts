import { warning } from '../api/conditions.ts'
import { selects } from '../api/label-selector.ts'
import { CR_NAME } from '../api/names.ts'
import type { Reason } from '../api/reasons.ts'
import type { Warning } from '../api/types.ts'
import { at, isObject, listOr } from '../json/json.ts'
import { listed } from '../text/list.ts'
import type { Neighbours, PodSelectorView } from './neighbours.ts'
import { type ForkAndSource, isPinningSelector, missingLabels, scales, type TrafficInput } from './pod-labels.ts'
import type { ServiceView } from './traffic.ts'

/** What collisions are found from. */
export interface CollisionInput {
  readonly pair: ForkAndSource
  readonly pods: TrafficInput
  readonly services: readonly ServiceView[]
  readonly neighbours: Neighbours
}

/** Objects that treat the fork differently from its source, or that count the pods of both. One warning per reason. */
export const collisions = (input: CollisionInput): readonly Warning[] => [
  ...joins(input),
  ...leaves(input),
  ...policies(input),
  ...autoscalers(input),
  ...budgets(input),
  ...affinities(input),
]

/** A warning that names `of`, if there are any. */
const about = (reason: Reason, of: readonly string[], message: (names: string) => string): readonly Warning[] =>
  of.length === 0 ? [] : [warning(reason, message(listed(of)))]

function joins({ pods: { fork, source }, services }: CollisionInput): readonly Warning[] {
  if (!source) return []
  const joined = services.filter(
    ({ selector }) =>
      !isPinningSelector(selector) &&
      missingLabels(selector, fork).length === 0 &&
      missingLabels(selector, source).length > 0,
  )
  const names = joined.map(({ name }) => `service/${name}`).sort()
  return about('JoinsService', names, (all) => `the fork gets requests from ${all}, the source does not`)
}

function leaves({ pods: { fork, source }, services }: CollisionInput): readonly Warning[] {
  if (!source) return []
  const left = services.filter(
    ({ selector }) =>
      !isPinningSelector(selector) &&
      missingLabels(selector, source).length === 0 &&
      missingLabels(selector, fork).length > 0,
  )
  const names = left.map(({ name }) => `service/${name}`).sort()
  const pairs = left.flatMap(({ selector }) => missingLabels(selector, fork).map(([key, value]) => `${key}=${value}`))
  return about(
    'LeavesService',
    names,
    (all) => `the fork gets no requests from ${all}: it lacks ${listed([...new Set(pairs)].sort())}`,
  )
}

function policies({ pods: { fork, source }, neighbours: { networkPolicies } }: CollisionInput): readonly Warning[] {
  if (!source) return []
  const named = (found: readonly PodSelectorView[]) => found.map(({ name }) => `networkpolicy/${name}`).sort()
  const ofFork = networkPolicies.filter(({ selector }) => selects(selector, fork.labels))
  const ofSource = networkPolicies.filter(({ selector }) => selects(selector, source.labels))
  const joined = named(ofFork.filter((policy) => !ofSource.includes(policy)))
  const left = named(ofSource.filter((policy) => !ofFork.includes(policy)))
  return [
    ...about('JoinsNetworkPolicy', joined, (all) => `the fork is subject to ${all}, the source is not`),
    ...about('LeavesNetworkPolicy', left, (all) => `the source is subject to ${all}, the fork is not`),
  ]
}

/** An autoscaler averages over all pods that match its target's selector, with any owner: argoproj/argo-rollouts#4369. */
function autoscalers({ pair: { source, fork }, pods, neighbours }: CollisionInput): readonly Warning[] {
  const { autoscaler } = pods
  const isCounted = autoscaler !== undefined && selects(at(source, 'spec', 'selector'), pods.fork.labels)
  const ofFork = neighbours.autoscalers
    .filter(scales(fork))
    .map(({ name }) => `hpa/${name}`)
    .sort()
  const name = fork.metadata.labels?.[CR_NAME]
  return [
    ...about(
      'CountedByHPA',
      isCounted ? [`hpa/${autoscaler.name}`] : [],
      (all) => `${all} includes the fork's pods in its average when it scales the source`,
    ),
    ...about(
      'ScaledByHPA',
      ofFork,
      (all) => `${all} scales the fork, but the controller resets it; target expd/${name} instead`,
    ),
  ]
}

function budgets({ pods: { fork, source }, neighbours }: CollisionInput): readonly Warning[] {
  const counting = neighbours.budgets.filter(
    ({ selector }) => selects(selector, fork.labels) && (!source || selects(selector, source.labels)),
  )
  const names = counting.map(({ name }) => `pdb/${name}`).sort()
  return about(
    'CountedByPDB',
    names,
    (all) => `the fork's pods count for ${all} and change how many evictions are allowed`,
  )
}

/** Scheduling rules that separate the fork's pods from those of the source. */
function affinities({ pair: { fork }, pods }: CollisionInput): readonly Warning[] {
  const pod = at(fork, 'spec', 'template', 'spec')
  const required = listOr(at(pod, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'))
  const spread = listOr(at(pod, 'topologySpreadConstraints')).filter(
    (constraint) => at(constraint, 'whenUnsatisfiable') === 'DoNotSchedule',
  )
  const rules = [
    ...(required.some(isShared(pods)) ? ['required anti-affinity'] : []),
    ...(spread.some(isShared(pods)) ? ['topology spread'] : []),
  ]
  return about('SharedAffinity', rules, (all) => `the source's pods count for the ${all} too: pods may stay Pending`)
}

const isShared =
  ({ fork, source }: TrafficInput) =>
  (term: unknown): boolean =>
    isObject(term) &&
    source !== undefined &&
    selects(term.labelSelector, source.labels) &&
    // such a key applies the rule to each revision separately, and the fork is another revision
    ![...listOr(term.matchLabelKeys)].some(
      (key) => isPinningSelector({ [String(key)]: '' }) || fork.labels[String(key)] !== source.labels[String(key)],
    )
