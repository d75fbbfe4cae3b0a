import { warning } from '../api/conditions.ts'
import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { type Assessment, derivedFork } from '../assess/assess.ts'
import type { Decision } from '../facts/decision.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { objectOr } from '../json/json.ts'
import { actionsOf } from '../policy/policy.ts'
import type { Situation } from '../situation/situation.ts'
import { selectsPods, type TrafficInput, trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource, endpointsOfOthers } from '../surroundings/shares.ts'
import type { TrafficView } from '../surroundings/traffic.ts'
import { fitted, optionalClause, type Part } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { replicasOf } from '../workload/status.ts'

/** How long the fork must be alone before anything follows: a source may lack ready pods while it is updated. */
const ALONE_MS = 10_000

/** An experiment whose fork is alone behind Services of its source. */
export interface AloneFork {
  readonly services: readonly string[]
  /** RFC 3339 */
  readonly since: string
  /** milliseconds until the warning is shown and a policy is enforced; 0 or less: now */
  readonly restMs: number
  /** the policies that forbid it */
  readonly forbidding: readonly string[]
  /** whether the fork must have no pods */
  readonly forbidsPods: boolean
}

/**
 * Whether the fork is, or would be, alone behind a Service of its source. A policy that forbids it takes the pods of
 * the fork after ten seconds. A fork without pods gets none meanwhile. While a promotion or an undo may have written
 * the source, the fork keeps its pods: it serves for those that the source's own rollout takes down.
 */
export function aloneBehindService(situation: Situation, assessment: Assessment): AloneFork | undefined {
  const { facts, isWriting } = situation
  const { experiment, now } = facts
  const services = situation.servingReplicas > 0 ? servicesOf(facts, assessment) : []
  if (services.length === 0) return undefined
  const stored = experiment.status?.aloneSince ?? ''
  const since = Number.isNaN(Date.parse(stored)) ? `${now.toISOString().slice(0, 19)}Z` : stored
  const restMs = Date.parse(since) + ALONE_MS - now.getTime()
  const forbidding = (knownValue(facts.policies)?.policies ?? [])
    .filter(({ spec }) => spec.aloneBehindService === 'Deny' && actionsOf(spec).includes('Deny'))
    .map(({ metadata }) => metadata.name)
  const hasNoPods = facts.fork.is === 'absent' || (facts.fork.is === 'known' && replicasOf(facts.fork.value) === 0)
  const forbidsPods = forbidding.length > 0 && !isWriting && (hasNoPods || restMs <= 0)
  return { services, since, restMs, forbidding, forbidsPods }
}

function servicesOf(facts: Facts, assessment: Assessment): readonly string[] {
  const pair = forkAndSource(facts, derivedFork(assessment) ?? knownValue(facts.fork))
  const traffic = knownValue(facts.surroundings.traffic)
  return pair && traffic ? servicesWithoutOthers(traffic, trafficInput(pair)) : []
}

/** `assessment` with a fork without pods. The number of pods is no part of the hash. */
export function withoutPods(assessment: Assessment): Assessment {
  if (assessment.is !== 'wanted') return assessment
  const { fork, gate } = assessment
  const shut = gate ? { gate: { ...gate, target: { pods: 0, open: 0 } } } : {}
  return { ...assessment, fork: scaledToZero(fork), ...shut }
}

const scaledToZero = (fork: KubeObject): KubeObject => ({ ...fork, spec: { ...objectOr(fork.spec), replicas: 0 } })

/**
 * The warning for the author, once it has lasted long enough. A review cannot know that, so `isReview` always warns.
 */
export const aloneWarnings = (alone: AloneFork | undefined, isReview = false): readonly Warning[] =>
  alone && (isReview || alone.forbidsPods || alone.restMs <= 0)
    ? [warning('AloneBehindService', ...partsOf(alone))]
    : []

/** The decision on a fork that has no pods because it would be alone. An endpoint that becomes ready wakes it. */
export const aloneDecision = (alone: AloneFork): Decision => ({
  is: 'unready',
  reason: 'AloneBehindService',
  message: fitted(Number.POSITIVE_INFINITY, partsOf(alone)),
})

function partsOf({ services, forbidding, forbidsPods }: AloneFork): readonly Part[] {
  const lack = ['no other ready endpoint in service/', shortenedList(services, 2)]
  return forbidsPods
    ? [...lack, ': no pods until there is one', ' (policy "', shortenedList(forbidding, 2), '")']
    : [...lack, optionalClause(': the fork gets all requests')]
}

/**
 * The names of the Services that send all their requests to experiments, if the fork has ready pods: each selects both
 * the fork and its source, and has no other ready endpoint. A Service that is limited to the fork is not one of them.
 */
export function servicesWithoutOthers(traffic: TrafficView, input: TrafficInput): readonly string[] {
  const services = traffic.services.filter(
    (service) =>
      selectsPods(service, input.fork) &&
      !Object.hasOwn(service.selector, EXPERIMENT_ID) &&
      // a source that was deleted has no labels any more
      (!input.source || concernsSource(service, input)),
  )
  return endpointsOfOthers({ ...traffic, services }, input)
    .filter(({ ready }) => ready === 0)
    .map(({ service }) => service)
    .sort()
}
