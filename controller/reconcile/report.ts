import { isEqual } from '../../common/api/equal.ts'
import { FIELD_MANAGER } from '../../common/api/names.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { isLeaving } from '../../common/workload/identity.ts'
import type { Key, Observed } from './observe.ts'
import type { Outcome } from './outcome.ts'
import type { Judgement } from './policy-check.ts'
import { describeStatus } from './status.ts'

/** What is told beside the resource it is about. */
export interface Notice {
  readonly type: 'Normal' | 'Warning'
  readonly reason: Reason
  readonly message: string
}

/** What `report` asks of the cluster. */
export interface StatusWrites {
  /** applies the whole status over the observed version. @throws KubeError `conflict` if it is not that any more */
  applyStatus(experiment: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void>
  /** queues a Kubernetes Event; never waits, never throws */
  notify(experiment: ExperimentDeployment, outcome: Outcome, notice: Notice): void
  /** what policies said; undefined: they count it no more */
  judged(key: Key, judgement: Judgement | undefined): void
  /** tells operators of a changed outcome */
  log(key: Key, outcome: Outcome): void
}

/** A share that merely drifts is written at most this often: with many experiments on one Service, each pod moves all. */
const SHARE_INTERVAL_MS = 10_000

/**
 * Writes what changed of the status, and tells of a changed outcome once. Answers in how many milliseconds it wants to
 * be called again, if it put a write off.
 * @throws KubeError when the status cannot be written
 */
export async function report(kube: StatusWrites, key: Key, observed: Observed, outcome: Outcome): Promise<number> {
  const { experiment } = observed
  kube.judged(key, outcome.judgement)
  if (isLeaving(experiment)) return farewell(kube, experiment, outcome)
  const status = describeStatus(observed, outcome)
  const before = experiment.status
  if (isEqual(status, before ?? {})) return Number.POSITIVE_INFINITY
  if (before && isEqual(withoutShares(status), withoutShares(before))) {
    const restMs = SHARE_INTERVAL_MS - (observed.now.getTime() - lastStatusWrite(experiment))
    if (restMs > 0) return restMs
  }
  await kube.applyStatus(experiment, status)
  const replaced = sourceReplaced(experiment, outcome)
  if (replaced) kube.notify(experiment, outcome, replaced)
  // what the outcome tells too is told once
  const policies = compliance(before, status).filter(({ reason }) => reason !== outcome.reason)
  for (const notice of [...news(before, status), ...policies]) kube.notify(experiment, outcome, notice)
  if (summaryOf(before) !== summaryOf(status)) {
    const type = outcome.is === 'stalled' || outcome.is === 'failed' ? 'Warning' : 'Normal'
    kube.notify(experiment, outcome, { type, reason: outcome.reason, message: outcome.message })
    kube.log(key, outcome)
  }
  return Number.POSITIVE_INFINITY
}

/** A status of what goes interests nobody, unless it cannot go. */
function farewell(kube: StatusWrites, experiment: ExperimentDeployment, outcome: Outcome): number {
  const { is, reason, message } = outcome
  if (is === 'stalled' || is === 'failed') kube.notify(experiment, outcome, { type: 'Warning', reason, message })
  return Number.POSITIVE_INFINITY
}

/** Policies say something else than before. That a new experiment breaks none is no news. */
function compliance(
  before: ExperimentDeploymentStatus | undefined,
  after: ExperimentDeploymentStatus,
): readonly Notice[] {
  const [was, is] = [before, after].map((status) => status?.conditions?.find(({ type }) => type === 'PolicyCompliant'))
  const isNews = is?.status === 'False' ? was?.status !== 'False' : is?.status === 'True' && was?.status === 'False'
  if (!is || !isNews) return []
  const { status, reason, message } = is
  return [{ type: status === 'True' ? 'Normal' : 'Warning', reason: reason as Reason, message }]
}

/** The source was created anew, and the fork follows that one. */
function sourceReplaced({ status, spec }: ExperimentDeployment, { source }: Outcome): Notice | undefined {
  if (!source || !status?.source || status.source.uid === source.uid) return undefined
  const { kind, name } = spec.sourceRef
  return { type: 'Normal', reason: 'SourceReplaced', message: `follows ${kind.toLowerCase()}/${name}, created anew` }
}

/** Warnings that the status did not hold until now: each is an Event once, also over a restart. */
const news = (before: ExperimentDeploymentStatus | undefined, status: ExperimentDeploymentStatus): readonly Notice[] =>
  (status.warnings ?? [])
    .filter(
      ({ reason, message }) => !before?.warnings?.some((told) => told.reason === reason && told.message === message),
    )
    .map(({ reason, message }) => ({ type: 'Warning', reason, message }))

/** A status but for the numbers that every pod of the neighbourhood moves. */
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

/** Their messages count endpoints. */
const NUMBERED: ReadonlySet<string> = new Set(['TrafficShared', 'PolicyCompliant'])

const summaryOf = (status: ExperimentDeploymentStatus | undefined): string =>
  JSON.stringify(
    status?.conditions
      ?.filter(({ type }) => type === 'Ready' || type === 'Stalled')
      .map(({ type, status: value, reason }) => [type, value, reason]),
  )

/** The API server keeps when our apply last changed something: milliseconds since 1970, 0 if it never did. */
const lastStatusWrite = ({ metadata }: ExperimentDeployment): number =>
  Date.parse(
    metadata.managedFields?.find(({ manager, subresource }) => manager === FIELD_MANAGER && subresource === 'status')
      ?.time ?? '',
  ) || 0
