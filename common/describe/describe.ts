import { warning } from '../api/conditions.ts'
import { expiresAt } from '../api/expiry.ts'
import { FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { ServiceShare, Warning } from '../api/types.ts'
import { type DesiredFork, servingPods } from '../assess/assess.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { at, listOr } from '../json/json.ts'
import { type AloneFork, aloneWarnings } from '../outcome/alone.ts'
import type { Plan } from '../outcome/conclusion.ts'
import type { FieldChange } from '../override/changes.ts'
import { differences } from '../override/differences.ts'
import { expiryMessage, toMinutes } from '../plan/lifecycle.ts'
import type { Evaluation } from '../plan/plan.ts'
import { ownedServices } from '../run/run-status.ts'
import { type MostPods, podPeak, podsAt } from '../situation/most-pods.ts'
import type { Situation } from '../situation/situation.ts'
import { selectedPods } from '../surroundings/shares.ts'
import { type TrafficReport, trafficReport } from '../surroundings/traffic-report.ts'
import { count } from '../text/count.ts'
import { duration } from '../text/duration.ts'
import { clauses, optionalClause, type Part } from '../text/fitted.ts'
import { percent } from '../text/percent.ts'
import { shortName, shortNameOf } from '../text/short-name.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import { replicasIn } from '../writes/source-size-writes.ts'
import type { Write } from '../writes/write.ts'
import { analysisLines } from './describe-analysis.ts'
import { missingServices, portWarnings, sourceChanges, strategyLines } from './describe-run.ts'
import { endpointsLater, returnLines } from './describe-size.ts'

/** What a description needs in addition to facts and plan. */
export interface DescribeOptions {
  readonly evaluation: Evaluation
  /** the differences from the fork before the update, or from a fork without the override */
  readonly changes: () => readonly FieldChange[]
  /** whether the name of the fork is not known yet: the real create after a dry run gets another uid */
  readonly isDryRunOfCreate: boolean
  /** which source the author may mean, if there is no such source; default: nobody knows */
  readonly suggestions?: readonly string[]
}

/** How many differences get a line of their own. */
const MAX_CHANGES = 5
/** How many Services get lines of their own. */
const MAX_SERVICES = 3

/** A line of the plan, which is fitted into a warning. */
type Line = string | readonly Part[]

/**
 * What the controller would write for `plan` and what follows from it, line by line. Every write has a line: `creates
 * deployment/x in shop`, `updates …`, `scales …`, `deletes …`, `adds a finalizer to …`, `removes the finalizer of
 * …`.
 */
export function describe(situation: Situation, plan: Plan, described: DescribeOptions): readonly Warning[] {
  const { facts, hasExpired } = situation
  const { suggestions = [] } = described
  const { assessment, alone } = described.evaluation
  const { reason, message, run } = plan.conclusion
  const isRunning = !isBeingDeleted(facts.experiment) && !hasExpired
  const wanted = isRunning && assessment.is === 'wanted' ? assessment : undefined
  const pair = forkAndSource(facts, wanted?.fork)
  const report = pair && trafficReport(pair, facts.surroundings)
  // a mistake of the author has its own message
  const isWaiting = isRunning && assessment.is === 'blocked' && assessment.errors.length === 0
  return [
    ...(wanted?.warnings() ?? []),
    ...(isWaiting ? [warning(reason, ...clauses(message))] : []),
    ...(isWaiting && IS_MISSING.has(reason) ? suggestions.map((each) => ({ reason, message: each })) : []),
    ...ownedServices(situation, isRunning ? run : undefined),
    ...(report ? [...report.hazards, ...report.collisions] : []),
    ...(wanted ? [...missingServices(facts, plan, wanted), ...portWarnings(facts, plan, wanted.fork)] : []),
    ...planLines(returnLines(facts, run ?? wanted?.run())),
    ...planLines(writeLines(situation, plan, described)),
    ...(isRunning && isApplied(plan) ? changeLines(described.changes()) : []),
    ...changeLines(sourceChanges(situation, plan), [shortName(facts.experiment.spec.sourceRef), ': ']),
    ...(wanted ? planLines(strategyLines(situation, plan, { ...wanted, ...described })) : []),
    // after a move the fork is written in the next pass, and the lines about the steps say what it gets
    ...(wanted && report && hasForkAfter(plan) && !run?.moved
      ? serviceLines(facts, wanted, { report, alone, isAtSize: isAtSize(plan) })
      : []),
    ...(wanted && hasForkAfter(plan)
      ? planLines([...podLines(facts, plan, wanted), ...analysisLines(situation, wanted.fork)])
      : []),
    ...planLines(endLines(situation)),
  ]
}

const IS_MISSING: ReadonlySet<Reason> = new Set(['SourceNotFound', 'KindNotAvailable'])

const planLines = (lines: readonly Line[]): readonly Warning[] =>
  lines.map((line) => warning('Plan', ...(typeof line === 'string' ? [line] : line)))

const isApplied = ({ writes }: Plan): boolean => writes.some(({ verb }) => verb === 'apply')

/** Whether the run brings up the pods of a blue-green, which are without requests. */
const isAtSize = ({ conclusion: { run } }: Plan): boolean => run?.steps[run.run.stepIndex]?.is === 'size'

/** Whether the wanted fork exists after the writes. */
const hasForkAfter = (plan: Plan): boolean => plan.conclusion.source !== undefined || isApplied(plan)

function writeLines(situation: Situation, plan: Plan, described: DescribeOptions): readonly Line[] {
  const { facts, hasExpired } = situation
  const { assessment } = described.evaluation
  const lines = plan.writes.map((write) => lineOf(write, facts, described))
  if (isBeingDeleted(facts.experiment)) return lines
  if (facts.fork.is === 'unknown')
    return [
      ...lines,
      ['the fork could not be read now', optionalClause(` (${facts.fork.because})`), ', so what is written is unknown'],
    ]
  const moved = plan.conclusion.run?.moved
  if (moved && !(hasExpired && moved.reason === 'Aborted')) return [...lines, moved.message]
  if (hasExpired) return lines // the last line tells it
  if (plan.conclusion.reason === 'Promoted') return ['creates no fork: the source has the change']
  const isBlocked = assessment.is === 'blocked' ? assessment.errors.length > 0 : !hasForkAfter(plan)
  if (isBlocked) return [...lines, blockedLine(situation, plan)]
  if (assessment.is === 'blocked' || isApplied(plan)) return lines
  return [...lines, `changes nothing in ${placeOf(assessment.fork)}: ${pods(assessment.fork)}`]
}

/** What is not written, and until when. */
function blockedLine({ facts, wantedReplicas }: Situation, { writes, conclusion: { reason } }: Plan): string {
  const { fork } = facts
  const until = UNTIL[reason] ?? 'until this is corrected'
  if (writes.length > 0) return `changes nothing else ${until}`
  if (fork.is !== 'known') return `creates nothing ${until}`
  const isGrowing = wantedReplicas > replicasOf(fork.value)
  return `changes nothing ${until}${isGrowing ? `; the fork keeps ${pods(fork.value)}` : ''}`
}

const UNTIL: Readonly<Partial<Record<Plan['conclusion']['reason'], string>>> = {
  PolicyDenied: 'until policies allow it',
  LimitReached: 'until policies allow it',
  PolicyNotRead: 'until the policies can be read',
}

/** The author knows the source, but cannot guess the name of the fork. */
function lineOf(write: Write, { experiment }: Facts, { isDryRunOfCreate }: DescribeOptions): Line {
  const newPlace = (object: KubeObject) => placeOf(object, isDryRunOfCreate ? '<id>' : undefined)
  switch (write.verb) {
    case 'apply': {
      if (write.role === 'pod') return `changes the gate of ${placeOf(write.object)}`
      const isNew = write.role === 'newFork' || write.role === 'newTwin'
      const place = isNew ? `creates ${newPlace(write.object)}` : `updates ${placeOf(write.object)}`
      return [`${place}: ${pods(write.object)}`, optionalClause(`, from ${shortName(experiment.spec.sourceRef)}`)]
    }
    case 'create':
      return `creates ${newPlace(write.object)}: ${write.role === 'base' ? 'the base that the fork keeps' : 'the former values of the source'}`
    case 'patch':
      return patchLine(write)
    case 'jsonPatch':
      return `gives ${placeOf(write.of)} ${count(replicasIn(write) ?? replicasOf(write.of), 'pod')}`
    case 'delete':
      return `deletes ${placeOf(write.of)}`
  }
}

function patchLine({ role, of, patch }: Extract<Write, { verb: 'patch' }>): string {
  switch (role) {
    case 'service':
      return `changes the selector of ${placeOf(of)}`
    case 'source':
      return `writes ${placeOf(of)}`
    case 'analysisRun':
      return `changes ${placeOf(of)}`
    case 'fork':
    case 'twin': {
      if (at(patch, 'spec') === undefined) return `removes finalizers from ${placeOf(of)}`
      const replicas = Number(at(patch, 'spec', 'replicas'))
      return `scales ${shortNameOf(of)} ${replicas > replicasOf(of) ? 'up' : 'down'} to ${count(replicas, 'pod')}`
    }
    case 'experiment': {
      const isAdded = listOr(at(patch, 'metadata', 'finalizers')).includes(FORK_FINALIZER)
      return `${isAdded ? 'adds a finalizer to' : 'removes the finalizer of'} expd/${of.metadata.name}`
    }
  }
}

/** `deployment/cart-x7f in shop`, with `suffix` as the last part of the name if it is given. */
const placeOf = (object: KubeObject, suffix?: string): string =>
  `${suffix ? shortNameOf(object).replace(/[^-]+$/, suffix) : shortNameOf(object)} in ${object.metadata.namespace}`

const pods = (fork: KubeObject): string => count(replicasOf(fork), 'pod')

/**
 * The differences, each after `before`, of which those without a line of their own are counted: `kubectl` prints equal
 * lines once.
 */
function changeLines(changes: readonly FieldChange[], before: readonly Part[] = []): readonly Warning[] {
  const found = differences(changes)
  const warningByLine = new Map<string, Warning>()
  for (const line of found) {
    if (warningByLine.size === MAX_CHANGES) break
    const change = warning('Plan', ...before, ...line)
    warningByLine.set(change.message, change)
  }
  const more = found.length - warningByLine.size
  return [...warningByLine.values(), ...(more > 0 ? planLines([`and ${count(more, 'more change')}`]) : [])]
}

interface Expected {
  readonly report: TrafficReport
  readonly alone: AloneFork | undefined
  /** whether the steps say that the pods are without requests */
  readonly isAtSize: boolean
}

function serviceLines(facts: Facts, wanted: DesiredFork, { report, alone, isAtSize }: Expected): readonly Warning[] {
  const { surroundings, experiment } = facts
  const { services } = report
  const replicas = servingPods(wanted)
  if (surroundings.traffic.is !== 'known')
    return planLines(['the share of requests is unknown: the Services could not be read'])
  if (alone?.forbidsPods) return aloneWarnings(alone, true)
  const remedy = experiment.spec.strategy ? '' : '; scale it to give it some'
  const opens = experiment.spec.strategy?.blueGreen ? 'until the cut-over' : 'until a weight opens some'
  const isBypassed = report.collisions.some(({ reason }) => reason === 'GateBypassed')
  if (wanted.gate && replicas === 0)
    return isAtSize || isBypassed ? [] : planLines([`no pod is open, so no requests ${opens}`])
  if (replicas === 0) return planLines([`no pods, so no requests${remedy}`])
  if (services.length === 0 && !surroundings.traffic.value.unread)
    return planLines(['no Service selects these pods: they will receive no traffic'])
  const views = new Map(surroundings.traffic.value.services.map((view) => [view.name, view]))
  const lines = services.slice(0, MAX_SERVICES).flatMap((service) => {
    const view = views.get(service.name)
    const endpoints = service.readyEndpoints - service.experimentEndpoints
    return serviceLine(service, {
      pods: view ? selectedPods(view, replicas) : replicas,
      others: view ? endpointsLater(endpoints, view, facts, wanted) : endpoints,
    })
  })
  const more = services.length - MAX_SERVICES
  const others = more > 0 ? planLines([`and ${count(more, 'more Service')}`]) : []
  return [...lines, ...others, ...aloneWarnings(alone, true)]
}

/** `pods`: how many of the fork the Service selects. `others`: its endpoints beside them. */
function serviceLine(
  service: ServiceShare,
  { pods, others }: { readonly pods: number; readonly others: number },
): readonly Warning[] {
  const { name, selected, reason, message } = service
  // The labels are part of the plan; what the controller of the source decides is not.
  const about = reason === undefined || reason === 'LabelsDoNotMatch' ? 'Plan' : reason
  if (reason === 'NotCompared') return [warning(reason, `service/${name}: ${message}`)]
  if (!selected) return [warning(about, `service/${name}: no requests; ${message ?? 'it does not select the pods'}`)]
  if (reason !== undefined) return [warning(about, `service/${name}: `, ...clauses(message ?? ''))]
  const expected = others + pods
  return planLines([
    `service/${name}: about ${percent(pods, expected)} of new connections (${pods} of ${expected} endpoints)`,
    ...(message ? [[`service/${name}: `, ...clauses(message)]] : []),
  ])
}

/** When the experiment expires, if it does. */
function endLines({ facts, hasExpired }: Situation): readonly string[] {
  const { experiment, now } = facts
  const end = expiresAt(experiment)
  if (end === undefined) return []
  const { ttlSeconds = 0 } = experiment.spec
  const ageS = Math.floor((now.getTime() - Date.parse(experiment.metadata.creationTimestamp ?? '')) / 1_000)
  const leftS = ttlSeconds - (ageS < 2 ? 0 : ageS) // a new experiment has all its time
  if (leftS <= 0) return [hasExpired ? expiryMessage(experiment) : 'removed when its promotion is over']
  return [`removed ${toMinutes(end)} (in ${duration(leftS)})`]
}

/** The most pods at one moment, and whose they are; none while the source is not known. */
function podLines(facts: Facts, { conclusion }: Plan, { fork, run }: DesiredFork): readonly (readonly Part[])[] {
  const peak = podPeak(facts, fork, conclusion.run ?? run())
  if (!peak) return []
  const all = podsAt(peak)
  const parts = [
    ...partOf(peak.source, shortName(facts.experiment.spec.sourceRef)),
    ...partOf(peak.fork, 'the fork'),
    ...partOf(peak.twin, 'the twin'),
  ]
  if (parts.length === 0) return []
  const { counted } = peak
  const ending = counted > all ? [optionalClause(`; a quota counts up to ${counted} while former pods end`)] : []
  return [[`at most ${count(all, 'pod')} at one moment`, optionalClause(`: ${parts.join(', ')}`), ...ending]]
}

const partOf = ({ replicas, surge }: MostPods, of: string): readonly string[] =>
  replicas === 0 ? [] : [`${replicas} of ${of}${surge > 0 ? ` and ${surge} of its surge` : ''}`]
