import { FIELD_MANAGER } from '../../common/api/names.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { isEqual } from '../../common/json/json.ts'
import type { Conclusion } from '../../common/plan/conclusion.ts'
import { STATES } from '../../common/plan/decision.ts'
import type { Facts } from '../../common/plan/facts.ts'
import type { PolicyDecision } from '../../common/plan/policy-decision.ts'
import { statusOf } from '../../common/plan/status.ts'
import { isBeingDeleted } from '../../common/workload/identity.ts'
import type { Key } from '../runtime/queue.ts'

/** The content of an Event about an experiment. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning'
  readonly reason: Reason
  readonly message: string
}

/** What `report` needs of the cluster. */
export interface Reporter {
  /** applies the whole status to the observed version. @throws KubeError `conflict` if it changed since */
  applyStatus(experiment: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void>
  /** queues a Kubernetes Event; never waits, never throws */
  emitEvent(experiment: ExperimentDeployment, conclusion: Conclusion, event: EventDraft): void
  /** records what policies decided; undefined when they no longer count the experiment */
  recordPolicy(key: Key, decision: PolicyDecision | undefined): void
  /** logs a changed conclusion */
  log(key: Key, conclusion: Conclusion): void
}

/**
 * The least time between two status writes that change only shares. With many experiments on one Service, each pod that
 * becomes ready changes the shares of all.
 */
const SHARE_INTERVAL_MS = 10_000

/**
 * Writes the status if it changed. Emits Events and a log line once for each change. Returns after how many milliseconds it
 * must be called again because it put a write off; Infinity if it did not.
 * @throws KubeError when the status cannot be written
 */
export async function report(reporter: Reporter, key: Key, facts: Facts, conclusion: Conclusion): Promise<number> {
  const { experiment } = facts
  reporter.recordPolicy(key, conclusion.policy)
  if (isBeingDeleted(experiment)) return reportDeletion(reporter, experiment, conclusion)
  const status = statusOf(facts, conclusion)
  const before = experiment.status
  if (isEqual(status, before ?? {})) return Number.POSITIVE_INFINITY
  if (before && isEqual(withoutShares(status), withoutShares(before))) {
    const restMs = SHARE_INTERVAL_MS - (facts.now.getTime() - lastStatusWrite(experiment))
    if (restMs > 0) return restMs
  }
  await reporter.applyStatus(experiment, status)
  const replaced = sourceReplaced(experiment, conclusion)
  if (replaced) reporter.emitEvent(experiment, conclusion, replaced)
  // A reason that is also the reason of the conclusion needs one Event only.
  const policies = complianceEvents(before, status).filter(({ reason }) => reason !== conclusion.reason)
  for (const event of [...warningEvents(before, status), ...policies]) reporter.emitEvent(experiment, conclusion, event)
  if (summaryOf(before) !== summaryOf(status)) {
    const type = STATES[conclusion.is].eventType
    reporter.emitEvent(experiment, conclusion, { type, reason: conclusion.reason, message: conclusion.message })
    reporter.log(key, conclusion)
  }
  return Number.POSITIVE_INFINITY
}

/** No status while being deleted, but an Event when deletion is stuck. */
function reportDeletion(reporter: Reporter, experiment: ExperimentDeployment, conclusion: Conclusion): number {
  const { is, reason, message } = conclusion
  const type = STATES[is].eventType
  if (type === 'Warning') reporter.emitEvent(experiment, conclusion, { type, reason, message })
  return Number.POSITIVE_INFINITY
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

/** An Event when the source was created again, with another uid, and the fork follows the new one. */
function sourceReplaced({ status, spec }: ExperimentDeployment, { source }: Conclusion): EventDraft | undefined {
  if (!source || !status?.source || status.source.uid === source.uid) return undefined
  const { kind, name } = spec.sourceRef
  return {
    type: 'Normal',
    reason: 'SourceReplaced',
    message: `${kind.toLowerCase()}/${name} was created again; the fork now follows the new one`,
  }
}

/** An Event for each warning that is not in the stored status, so that each is emitted once, also after a restart. */
const warningEvents = (
  before: ExperimentDeploymentStatus | undefined,
  status: ExperimentDeploymentStatus,
): readonly EventDraft[] =>
  (status.warnings ?? [])
    .filter(
      ({ reason, message }) =>
        !before?.warnings?.some((stored) => stored.reason === reason && stored.message === message),
    )
    .map(({ reason, message }) => ({ type: 'Warning', reason, message }))

/** A status without the numbers that change with every ready pod behind its Services. */
function withoutShares({ services, share: _share, conditions, ...rest }: ExperimentDeploymentStatus) {
  return {
    ...rest,
    services: services?.map(({ name, selected, reason, experimentEndpoints }) => ({
      name,
      selected,
      reason,
      experimentEndpoints,
    })),
    conditions: conditions?.map(({ message, ...condition }) =>
      NUMBERED.has(condition.type) ? condition : { ...condition, message },
    ),
  }
}

/** The conditions whose messages have numbers of endpoints. */
const NUMBERED: ReadonlySet<string> = new Set(['TrafficShared', 'PolicyCompliant'])

const summaryOf = (status: ExperimentDeploymentStatus | undefined): string =>
  JSON.stringify(
    status?.conditions
      ?.filter(({ type }) => type === 'Ready' || type === 'Stalled')
      .map(({ type, status: value, reason }) => [type, value, reason]),
  )

/** When an apply of the status last changed something, from `managedFields`: milliseconds since 1970, 0 if never. */
const lastStatusWrite = ({ metadata }: ExperimentDeployment): number =>
  Date.parse(
    metadata.managedFields?.find(({ manager, subresource }) => manager === FIELD_MANAGER && subresource === 'status')
      ?.time ?? '',
  ) || 0
