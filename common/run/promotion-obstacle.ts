import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { type AnalysisState, isTimedOut } from '../assess/analysis.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { hasNewBase } from '../assess/base.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { isPinned } from '../fork/pinned.ts'
import type { Plan } from '../outcome/conclusion.ts'
import { contentDeniedBy, promotionDeniedBy, timeoutDeniedBy } from '../outcome/policy-decision.ts'
import { isPinnedToFork, promotionIn, sizesOf } from '../situation/run.ts'
import { scaledByOther } from '../situation/scaling.ts'
import { unseenBy } from '../situation/seen-now.ts'
import type { RunState, Situation } from '../situation/situation.ts'
import { isAnswered } from '../strategy/command.ts'
import { commandIn, isOfRevision } from '../strategy/command-text.ts'
import { atStep, isApprovalOf, withoutApproval } from '../strategy/run.ts'
import { surgeLimit } from '../strategy/target.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource } from '../surroundings/shares.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { shortNameOf } from '../text/short-name.ts'
import { experimentId } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'

/** The source is read again after this time, because no event tells that its rollout goes on. */
export const ROLLOUT_RECHECK_MS = 2_000

/** An event of its Service tells that another experiment is done, so this is needed only if that event is lost. */
const BUSY_MS = 10_000

/** A source that is to be promoted. */
interface Promoted {
  readonly kind: WorkloadKind
  readonly source: KubeObject
}

/** What a promotion follows from. */
interface PromotionInput {
  readonly situation: Situation
  readonly facts: Facts
  readonly state: RunState
  readonly planned: Plan
  readonly analysis: AnalysisState | undefined
}

/**
 * Why policies do not allow that the source is written for the first time; undefined if they allow it. While a Service
 * sends only to the fork, a policy on the content does not stop the run: production depends on its end.
 */
export function promotionDenial(of: PromotionInput): Decision | undefined {
  const { policy } = of.planned.conclusion
  const isByTimeout = isTimedOut(of.analysis) && !isByPerson(of)
  const denied = promotionDeniedBy(policy) ?? (isByTimeout ? timeoutDeniedBy(of.facts.policies) : undefined)
  return denied ?? (isPinnedToFork(of.situation) ? undefined : contentDeniedBy(policy))
}

/** Whether a person promotes: each does for `Manual`, and otherwise the last command for this revision is `promote`. */
function isByPerson({ facts: { experiment }, state: { run, spec } }: PromotionInput): boolean {
  const command = commandIn(experiment.metadata.annotations)
  const isOfRun = command !== undefined && isOfRevision(command, run) && isAnswered(command, run.command)
  return spec.mode === 'Manual' || (isOfRun && command.verb === 'promote' && run.command?.answer === 'Done')
}

/**
 * The way back to the step at which the run waits for a promotion: another revision was approved than the present one,
 * and nothing of the promotion is in the source.
 */
export function unapprovedMove({ facts, isUntouched }: Situation, { run, steps }: RunState) {
  const { wholeRevision, approvedRevision = 'an earlier one', path, stepIndex } = run
  const stepOfAwait = steps.findIndex(({ is }) => is === 'await')
  const isDue = path === 'Forward' && stepOfAwait >= 0 && steps[stepIndex]?.is === 'promote' && isUntouched
  if (!isDue || wholeRevision === undefined || wholeRevision === approvedRevision) return undefined
  const message = `waits until promoted again: ${approvedRevision} was approved, and the revision is ${wholeRevision} now`
  const waiting = atStep(withoutApproval(run), { stepIndex: stepOfAwait }, facts.now)
  return { run: waiting, reason: 'AwaitingPromotion' as const, message }
}

/** Whether the spec approves the present revision. */
export const isRevisionApproved = ({ run, spec }: RunState): boolean => isApprovalOf(spec.approvedRevision, run)

/** Why `source` is not written over what it has, and what a person can do. */
export function unseenObstacle(facts: Facts, { run }: RunState, source: KubeObject): Decision | undefined {
  const unseen = unseenBy(facts, run, source)
  const stop = promotionIn(facts.experiment, run)?.record ? 'undo' : 'abort'
  const remedy = `look at the plan of the command promote, which promotes it anyway; ${stop} ends the run`
  return unseen === undefined
    ? undefined
    : stalled('SourceDrifted', `${shortNameOf(source)} is not written: ${unseen}; ${remedy}`)
}

/** Why the source cannot be written now. */
export function promotionObstacle(
  facts: Facts,
  wanted: DesiredFork,
  { spec }: RunState,
  { kind, source }: Promoted,
): Decision | undefined {
  const field = kind.holdsBack(source)
  if (field !== undefined)
    return waiting('SourceHoldsBack', `${shortNameOf(source)} has ${field}: a change would not reach all of its pods`)
  const holder = cutOverBy(facts, wanted)
  if (holder) return waiting('SourceIsBusy', holder, BUSY_MS)
  const scaled = scaledByOther(facts, source)
  if (scaled) return scaled
  const health = forkHealth(kind, source, facts.now)
  if (health.is !== 'ready')
    return waiting('SourceNotSettled', `${shortNameOf(source)} is not settled: ${health.message}`, ROLLOUT_RECHECK_MS)
  if (isPinned(facts.experiment) && hasNewBase(facts, wanted))
    return stalled('SourceDrifted', `${shortNameOf(source)} has changed since this experiment was pinned to it`)
  return lackOfReserve(facts, spec, source)
}

/**
 * The message that a Service of the source sends only to the fork of another experiment, which has pods there: then
 * production does not depend on the source, and nothing of this experiment gets requests. A preview is no obstacle: its
 * Service also lists shut pods, and another Service sends to the source or to the fork of this experiment.
 */
function cutOverBy(facts: Facts, { fork }: DesiredFork): string | undefined {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return undefined
  const input = trafficInput(pair)
  const services = traffic.services.filter((service) => concernsSource(service, input))
  const own = experimentId(facts.experiment.metadata.uid)
  const isTaken = ({ selector: { [EXPERIMENT_ID]: id } }: ServiceView) => id !== undefined && id !== own
  const hasOther = services.some((service) => !isTaken(service))
  // an id to which nobody answers is no experiment's: anybody can write one into a selector
  const hasForks = (service: ServiceView) => {
    const { all, others } = readyEndpoints(traffic.slices, service)
    return all > others
  }
  const taken = services.find(
    (service) => isTaken(service) && hasForks(service) && !(service.publishesNotReady && hasOther),
  )
  return (
    taken &&
    `service/${taken.name} sends only to the experiment with the id ${taken.selector[EXPERIMENT_ID]}, ` +
      `so ${shortNameOf(pair.source ?? fork)} is not written until the Service sends to it again`
  )
}

/**
 * Why the fork cannot serve for all pods that the rollout takes down: since the strategy was admitted, the source may
 * have got more pods or another rollout strategy.
 */
function lackOfReserve(facts: Facts, spec: RunState['spec'], source: KubeObject): Decision | undefined {
  const sizes = sizesOf(facts, spec)
  // the sizes before a promotion inside the source have its reserve
  if (!sizes || sizes.inside || sizes.reserve <= surgeLimit(sizes)) return undefined
  const message =
    `the rollout of ${shortNameOf(source)} takes down ${sizes.reserve} of ${sizes.source} pods at once, ` +
    `and maxSurge ${spec.maxSurge} allows ${surgeLimit(sizes)} of the fork; raise maxSurge or maxUnavailable`
  return waiting('WeightLimited', message, ROLLOUT_RECHECK_MS)
}
