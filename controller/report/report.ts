import { readyOf } from '../../common/api/conditions.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { isReason, type Reason } from '../../common/api/reasons.ts'
import type { PromotionMode } from '../../common/api/strategy.ts'
import type { Condition, ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { CONDITIONS_OF_STATE } from '../../common/facts/decision.ts'
import { isEqual } from '../../common/json/json.ts'
import { type Conclusion, heldWarnings, type WrittenObject } from '../../common/outcome/conclusion.ts'
import type { PolicyDecision } from '../../common/outcome/policy-decision.ts'
import { leavingStatus } from '../../common/plan/leaving-status.ts'
import { statusOf } from '../../common/plan/status.ts'
import type { Situation } from '../../common/situation/situation.ts'
import { shortName } from '../../common/text/short-name.ts'
import { hasForeignStatus, isBeingDeleted } from '../../common/workload/identity.ts'
import type { Joining } from '../events/joined-events.ts'
import type { Key } from '../runtime/queue.ts'

/** The content of an Event about an experiment. */
interface EventDraft {
  readonly type: 'Normal' | 'Warning'
  readonly reason: Reason
  readonly message: string
  readonly joining?: Joining
}

/** What `report` needs of the cluster. */
export interface Reporter {
  /** applies the whole status to the observed version. @throws KubeError `conflict` if it changed since */
  applyStatus(experiment: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void>
  /** how many milliseconds a status that differs only in shares has to wait; 0 or less: now */
  shareWaitMs(key: Key): number
  /** as `shareWaitMs`, for a status of a fork that is still not ready */
  progressWaitMs(key: Key): number
  /** called when the stored status is as it should be, so that nothing waits any more */
  noteCurrent(key: Key): void
  /** whether a status is what this process last wrote, so that no other client has changed it */
  isAsWritten(key: Key, status: ExperimentDeploymentStatus | undefined): boolean
  /** how many milliseconds the next repair of a status has to wait; 0 or less: now */
  repairWaitMs(key: Key): number
  /** called before a status is written that another client has changed */
  noteRepair(key: Key): void
  /** queues a Kubernetes Event; never waits, never throws */
  emitEvent(experiment: ExperimentDeployment, conclusion: Conclusion, event: EventDraft): void
  /** as `emitEvent`, about an object that an experiment has changed: its source, or a Service */
  emitEventAbout(object: KubeObject, experiment: ExperimentDeployment, event: EventDraft): void
  /** records what policies decided; undefined when they no longer count the experiment */
  recordPolicy(key: Key, decision: PolicyDecision | undefined): void
  /** logs a changed conclusion */
  log(experiment: ExperimentDeployment, conclusion: Conclusion): void
  /** counts a move of a run */
  countMove(experiment: ExperimentDeployment, reason: Reason): void
  /** counts what became of a promotion */
  countPromotion(experiment: ExperimentDeployment, promotion: PromotionCount): void
}

/**
 * Writes the status if it changed. Emits Events and a log line once for each change. Returns after how many
 * milliseconds it must be called again because it put a write off; Infinity if it did not.
 * @throws KubeError when the status cannot be written
 */
export async function report(
  reporter: Reporter,
  key: Key,
  situation: Situation,
  conclusion: Conclusion,
): Promise<number> {
  const { facts } = situation
  const { experiment } = facts
  const { is, policy, reason, message, repaired } = conclusion
  const summary = { type: CONDITIONS_OF_STATE[is].eventType, reason, message }
  const emit = (event: EventDraft) => reporter.emitEvent(experiment, conclusion, event)
  reporter.recordPolicy(key, policy)
  if (isBeingDeleted(experiment)) {
    if (summary.type === 'Warning') emit(summary)
    for (const { reason, message } of heldWarnings(conclusion))
      emit({ type: 'Warning', reason: reason as Reason, message })
    const leaving = leavingStatus(facts, conclusion)
    if (leaving && !isEqual(leaving, experiment.status ?? {})) await reporter.applyStatus(experiment, leaving)
    return Number.POSITIVE_INFINITY
  }
  // Such a repair changes nothing in the status.
  if (repaired !== undefined) emit({ type: 'Normal', reason: 'Updating', message: repaired })
  const { written } = conclusion.run ?? {}
  if (written) reportWritten(reporter, experiment, written)
  const status = statusOf(situation, conclusion)
  const before = experiment.status
  if (isEqual(status, before ?? {})) {
    reporter.noteCurrent(key)
    return Number.POSITIVE_INFINITY
  }
  const numbersMs = before ? numbersWaitMs(reporter, key, { before, status, reason }) : 0
  if (numbersMs > 0) return numbersMs
  const { moved, addsHashes } = conclusion.run ?? {}
  if (hasForeignStatus(experiment) && !reporter.isAsWritten(key, before)) {
    const restMs = reporter.repairWaitMs(key)
    if (restMs > 0 && !moved && !addsHashes) return restMs // a move, such as an abort, never waits
    reporter.noteRepair(key)
  }
  await reporter.applyStatus(experiment, status)
  sourceReplaced(experiment, conclusion).forEach(emit)
  verdictEvents(before, status).forEach(emit)
  const outcome = outcomeOf(before, status)
  if (outcome) reporter.countPromotion(experiment, outcome)
  if (moved) {
    emit({ type: WARNED.has(moved.reason) ? 'Warning' : 'Normal', reason: moved.reason, message: moved.message })
    reporter.countMove(experiment, moved.reason)
  }
  shortageEvents(before, status).forEach(emit)
  const warned = warningEvents(before, status)
  warned.forEach(emit)
  // A reason that is also the reason of the conclusion needs one Event only.
  for (const event of complianceEvents(before, status)) if (event.reason !== reason) emit(event)
  if (summaryOf(before) !== summaryOf(status)) {
    const joining = { mayWait: before === undefined && reason === 'Updating', mayJoin: is === 'settled' }
    if (!warned.some((event) => event.reason === reason)) emit({ ...summary, joining })
    reporter.log(experiment, conclusion)
  }
  return Number.POSITIVE_INFINITY
}

/** An Event about an object that an experiment has changed. */
const reportWritten = (reporter: Reporter, of: ExperimentDeployment, { object, ...event }: WrittenObject) =>
  reporter.emitEventAbout(object, of, { type: 'Normal', ...event })

/** An Event when a fork that gets all requests begins to have too few ready pods. */
function shortageEvents(
  before: ExperimentDeploymentStatus | undefined,
  after: ExperimentDeploymentStatus,
): readonly EventDraft[] {
  const [was, is] = [before, after].map((status) => status?.conditions?.find(({ type }) => type === 'TooFewPods'))
  return is && !was ? [{ type: 'Warning', reason: 'TooFewPods', message: is.message }] : []
}

/** How a promotion ended. */
interface PromotionCount {
  readonly mode: PromotionMode
  readonly outcome: 'promoted' | 'reverted' | 'undone'
}

/** How a promotion ended with this status, if it did. */
function outcomeOf(
  before: ExperimentDeploymentStatus | undefined,
  after: ExperimentDeploymentStatus,
): PromotionCount | undefined {
  const { mode } = after.promotion ?? before?.promotion ?? {}
  if (mode === undefined) return undefined
  const [was, is] = [before, after].map((status) => ({
    phase: status?.strategy?.phase,
    isReverted: readyOf(status)?.reason === 'SourceReverted' && status?.promotion?.written !== undefined,
  }))
  if (is?.isReverted && !was?.isReverted) return { mode, outcome: 'reverted' }
  if (is?.phase === was?.phase) return undefined
  if (is?.phase === 'Promoted') return { mode, outcome: 'promoted' }
  return is?.phase === 'Undone' ? { mode, outcome: 'undone' } : undefined
}

/** The moves of a run that a person should look at. */
const WARNED: ReadonlySet<Reason> = new Set(['Aborted', 'CommandRefused', 'PinNotHeld', 'Returned'])

interface Statuses {
  readonly before: ExperimentDeploymentStatus
  readonly status: ExperimentDeploymentStatus
  readonly reason: Reason
}

/** How many milliseconds a status has to wait because only numbers changed that change often; 0 or less: now. */
function numbersWaitMs(reporter: Reporter, key: Key, { before, status, reason }: Statuses): number {
  if (isEqual(withoutShares(status), withoutShares(before))) return reporter.shareWaitMs(key)
  const isStarting = STARTING.has(reason) && isEqual(withoutProgress(status), withoutProgress(before))
  return isStarting ? reporter.progressWaitMs(key) : 0
}

/** An Event when compliance with policies changed. A new experiment that is compliant needs none. */
function complianceEvents(
  before: ExperimentDeploymentStatus | undefined,
  after: ExperimentDeploymentStatus,
): readonly EventDraft[] {
  const [was, is] = [before, after].map((status) => status?.conditions?.find(({ type }) => type === 'PolicyCompliant'))
  const hasChanged = is?.status === 'False' ? was?.status !== 'False' : is?.status === 'True' && was?.status === 'False'
  if (!is || !hasChanged) return []
  const { status, reason, message } = is
  return [{ type: status === 'True' ? 'Normal' : 'Warning', reason: reason as Reason, message }]
}

/** An Event when the verdict of an analysis or its reason has changed. That it waits for pods at first needs none. */
function verdictEvents(
  before: ExperimentDeploymentStatus | undefined,
  { analysis: is }: ExperimentDeploymentStatus,
): readonly EventDraft[] {
  const was = before?.analysis
  const isFirst = was === undefined && is?.verdict === 'Wait'
  if (!is || isFirst || !isReason(is.reason) || (was?.verdict === is.verdict && was.reason === is.reason)) return []
  const isGood = (is.verdict === 'Pass' || is.verdict === 'Wait') && is.reason !== 'NoSeries'
  return [{ type: isGood ? 'Normal' : 'Warning', reason: is.reason, message: `analysis: ${is.verdict}: ${is.message}` }]
}

/** An Event when the source was created again, with another uid, and the fork follows the new one. */
function sourceReplaced({ status, spec }: ExperimentDeployment, conclusion: Conclusion): readonly EventDraft[] {
  const source = conclusion.source?.()
  if (!source || !status?.source || status.source.uid === source.uid) return []
  const message = `${shortName(spec.sourceRef)} was created again; the fork now follows the new one`
  return [{ type: 'Normal', reason: 'SourceReplaced', message }]
}

/** An Event for each warning that is not in the stored status, so that each is emitted once, also after a restart. */
const warningEvents = (before: ExperimentDeploymentStatus | undefined, after: ExperimentDeploymentStatus) =>
  (after.warnings ?? [])
    .filter((warning) => !before?.warnings?.some((stored) => isEqual(stored, warning)))
    .map(({ reason, message }) => ({ type: 'Warning', reason, message }) as const)

/** The conditions whose messages have numbers of endpoints. */
const NUMBERED: ReadonlySet<string> = new Set(['TrafficShared', 'PolicyCompliant'])

/** A status without the numbers that change with every ready pod behind its Services. */
function withoutShares({ services, share: _share, conditions, strategy, ...rest }: ExperimentDeploymentStatus) {
  const { weight, ...run } = strategy ?? {}
  return {
    ...rest,
    strategy: { ...run, desired: weight?.desired },
    services: services?.map(({ message: _message, share: _share, readyEndpoints: _ready, ...service }) => service),
    conditions: conditions?.map(({ message, ...condition }) =>
      NUMBERED.has(condition.type) ? condition : { ...condition, message },
    ),
  }
}

/** The reasons of a fork whose pods are expected to become ready, or whose size another client changes. */
const STARTING: ReadonlySet<string> = new Set<Reason>(['Updating', 'PodsNotReady', 'Contested'])

/** A status without all that changes while the pods of a fork start. */
function withoutProgress({
  replicas: _all,
  readyReplicas: _ready,
  pods: _pods,
  ...status
}: ExperimentDeploymentStatus) {
  const { services: _services, conditions, ...rest } = withoutShares(status)
  const isKept = ({ type, reason }: Pick<Condition, 'type' | 'reason'>) =>
    type !== 'TrafficShared' && !STARTING.has(reason)
  return { ...rest, conditions: conditions?.filter(isKept) }
}

const summaryOf = (status: ExperimentDeploymentStatus | undefined): string =>
  JSON.stringify(
    status?.conditions
      ?.filter(({ type }) => type === 'Ready' || type === 'Stalled')
      .map(({ type, status: value, reason }) => [type, value, reason]),
  )
