import { CR_NAME } from '../api/names.ts'
import { at, isObject, listOr } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { Warning } from '../api/types.ts'
import type { Neighbours, SelectingView } from './neighbours.ts'
import { selects } from './selector.ts'
import type { ServiceView } from './services.ts'
import { isPinning, lacks, type Pair, type Sides, scales } from './sides.ts'
import { listed, warn } from './warning.ts'

/** All that a collision can be seen from. */
export interface Meeting {
  readonly pair: Pair
  readonly sides: Sides
  readonly services: readonly ServiceView[]
  readonly neighbours: Neighbours
}

/** Whom the fork meets that its source does not, or who takes both for one. One warning for each reason. */
export const collisions = (meeting: Meeting): readonly Warning[] => [
  ...joins(meeting),
  ...leaves(meeting),
  ...policies(meeting),
  ...autoscalers(meeting),
  ...budgets(meeting),
  ...affinities(meeting),
]

/** A warning about `of`, if there are any. */
const about = (reason: Reason, of: readonly string[], message: (names: string) => string): readonly Warning[] =>
  of.length === 0 ? [] : [warn(reason, message(listed(of)))]

function joins({ sides: { fork, source }, services }: Meeting): readonly Warning[] {
  if (!source) return []
  const joined = services.filter(
    ({ selector }) => !isPinning(selector) && lacks(selector, fork).length === 0 && lacks(selector, source).length > 0,
  )
  const names = joined.map(({ name }) => `service/${name}`).sort()
  return about('JoinsService', names, (all) => `${all}: not the source's, and yet its requests reach the experiment`)
}

function leaves({ sides: { fork, source }, services }: Meeting): readonly Warning[] {
  if (!source) return []
  const left = services.filter(
    ({ selector }) => !isPinning(selector) && lacks(selector, source).length === 0 && lacks(selector, fork).length > 0,
  )
  const names = left.map(({ name }) => `service/${name}`).sort()
  const pairs = left.flatMap(({ selector }) => lacks(selector, fork).map(([key, value]) => `${key}=${value}`))
  return about(
    'LeavesService',
    names,
    (all) => `${all}: the source's alone; the experiment lacks ${listed([...new Set(pairs)].sort())}`,
  )
}

function policies({ sides: { fork, source }, neighbours: { networkPolicies } }: Meeting): readonly Warning[] {
  if (!source) return []
  const named = (found: readonly SelectingView[]) => found.map(({ name }) => `networkpolicy/${name}`).sort()
  const ofFork = networkPolicies.filter(({ selector }) => selects(selector, fork.labels))
  const ofSource = networkPolicies.filter(({ selector }) => selects(selector, source.labels))
  const joined = named(ofFork.filter((policy) => !ofSource.includes(policy)))
  const left = named(ofSource.filter((policy) => !ofFork.includes(policy)))
  return [
    ...about('JoinsNetworkPolicy', joined, (all) => `${all}: holds for the experiment, not for the source`),
    ...about('LeavesNetworkPolicy', left, (all) => `${all}: holds for the source, not for the experiment`),
  ]
}

/** An autoscaler averages over all pods that its target's selector selects, whoever owns them: argoproj/argo-rollouts#4369. */
function autoscalers({ pair: { source, fork }, sides, neighbours }: Meeting): readonly Warning[] {
  const { autoscaler } = sides
  const isCounted = autoscaler !== undefined && selects(at(source, 'spec', 'selector'), sides.fork.labels)
  const ofFork = neighbours.autoscalers
    .filter(scales(fork))
    .map(({ name }) => `hpa/${name}`)
    .sort()
  const name = fork.metadata.labels?.[CR_NAME]
  return [
    ...about(
      'CountedByHPA',
      isCounted ? [`hpa/${autoscaler.name}`] : [],
      (all) => `${all} averages over the experiment's pods too when it scales the source`,
    ),
    ...about('ScaledByHPA', ofFork, (all) => `${all} scales the fork, which is set back; let it scale expd/${name}`),
  ]
}

function budgets({ sides: { fork, source }, neighbours }: Meeting): readonly Warning[] {
  const counting = neighbours.budgets.filter(
    ({ selector }) => selects(selector, fork.labels) && (!source || selects(selector, source.labels)),
  )
  const names = counting.map(({ name }) => `pdb/${name}`).sort()
  return about(
    'CountedByPDB',
    names,
    (all) => `${all} counts the experiment's pods: ready or not, they move what it allows`,
  )
}

/** Rules that keep the fork's pods from nodes for the sake of the source's, or the other way round. */
function affinities({ pair: { fork }, sides }: Meeting): readonly Warning[] {
  const pod = at(fork, 'spec', 'template', 'spec')
  const required = listOr(at(pod, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'))
  const spread = listOr(at(pod, 'topologySpreadConstraints')).filter(
    (constraint) => at(constraint, 'whenUnsatisfiable') === 'DoNotSchedule',
  )
  const rules = [
    ...(required.some(isShared(sides)) ? ['required anti-affinity'] : []),
    ...(spread.some(isShared(sides)) ? ['topology spread'] : []),
  ]
  return about('SharedAffinity', rules, (all) => `${all} counts the source's pods too: pods may stay Pending`)
}

const isShared =
  ({ fork, source }: Sides) =>
  (term: unknown): boolean =>
    isObject(term) &&
    source !== undefined &&
    selects(term.labelSelector, source.labels) &&
    // by such a key each revision is apart: the fork's pods are of another one
    ![...listOr(term.matchLabelKeys)].some(
      (key) => isPinning({ [String(key)]: '' }) || fork.labels[String(key)] !== source.labels[String(key)],
    )
