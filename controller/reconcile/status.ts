import { conditionsFrom, type Finding } from '../../common/api/conditions.ts'
import { expiresAt } from '../../common/api/expiry.ts'
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import { at, isObject, listOr, objectOr } from '../../common/api/object.ts'
import { sourceNamespaceOf } from '../../common/api/policy.ts'
import { REASONS, type Reason } from '../../common/api/reasons.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus, ServiceShare, Warning } from '../../common/api/types.ts'
import { experimentId, isApart } from '../../common/workload/identity.ts'
import { type Outlook, outlookOf } from '../../common/workload/outlook.ts'
import { UNREAD } from './checks.ts'
import { policyCompliant } from './compliance.ts'
import type { Observed } from './observe.ts'
import type { Outcome } from './outcome.ts'

/**
 * The whole status that a pass leaves, from present facts alone. Equal facts give an equal status, so that a converged
 * experiment is written no more. Of the former status only times, and what a kept fork was derived from, live on.
 */
export function describeStatus(observed: Observed, outcome: Outcome): ExperimentDeploymentStatus {
  const { experiment } = observed
  const before = experiment.status
  const { generation, uid } = experiment.metadata
  const { services, hazards, collisions } = outlook(observed, outcome)
  const warnings = inOrder([...hazards, ...collisions])
  const share = services.find(({ selected }) => selected)?.share
  // that there is a pinned base must not be forgotten while there is no fork
  const source = outcome.source ?? (outcome.fork || before?.source?.pinned ? before?.source : undefined)
  const expires = expiresAt(experiment)
  return {
    observedGeneration: generation,
    conditions: conditionsFrom(
      [
        ...summary(outcome),
        withWarnings(sourceResolved(observed, outcome), hazards),
        withWarnings(trafficShared(outcome, services), collisions),
        policyCompliant(outcome.judgement),
      ],
      { before: before?.conditions ?? [], observedGeneration: generation, now: observed.now },
    ),
    replicas: count(outcome, 'replicas'),
    readyReplicas: count(outcome, 'readyReplicas'),
    selector: `${EXPERIMENT_ID}=${experimentId(uid)}`,
    services,
    ...(warnings.length > 0 ? { warnings } : {}),
    sourceName: sourceName(experiment),
    ...(share === undefined ? {} : { share }),
    ...(source === undefined ? {} : { source }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...forkFacts(observed, outcome),
  }
}

/** `Deployment/cart`; with its namespace where that is another one. */
function sourceName(experiment: ExperimentDeployment): string {
  const { kind, name } = experiment.spec.sourceRef
  return isApart(experiment) ? `${kind}/${sourceNamespaceOf(experiment)}/${name}` : `${kind}/${name}`
}

const count = ({ fork }: Outcome, field: string): number => Number(at(fork, 'status', field) ?? 0)

function forkFacts({ experiment, fork: before }: Observed, { fork }: Outcome): ExperimentDeploymentStatus {
  if (!fork) return {}
  const { apiVersion, kind, metadata } = fork
  const image = listOr(at(fork, 'spec', 'template', 'spec', 'containers'))
    .filter(isObject)
    .map((container) => String(container.image ?? ''))
    .join(',')
  const { name, namespace = '', uid = '', generation = 0 } = metadata
  const left = experiment.status?.experimentResourceRef
  // one that this pass did not write may hold somebody else's change: 0 has it applied, once more at worst
  const asLeft = fork !== before ? generation : left?.uid === uid ? left.generation : 0
  return { image, experimentResourceRef: { apiVersion, kind, name, namespace, uid, generation: asLeft } }
}

const NO_OUTLOOK: Outlook = { services: [], hazards: [], collisions: [] }

/** What can be said of the fork's traffic and company; what nobody can tell now stays as it was told. */
function outlook(observed: Observed, { fork }: Outcome): Outlook {
  const { kind, source, referents, traffic, neighbours, primary, referrer, experiment } = observed
  if (!fork || !kind) return NO_OUTLOOK
  const found = outlookOf({ pair: { kind, source, referents, fork }, traffic, neighbours, primary, referrer })
  if (neighbours) return found
  const told = experiment.status?.warnings?.filter(({ reason }) => OF_NEIGHBOURS.has(reason)) ?? []
  return { ...found, collisions: [...found.collisions, ...told] }
}

/** Seen only from autoscalers, budgets and policies. */
const OF_NEIGHBOURS: ReadonlySet<Reason> = new Set([
  'JoinsNetworkPolicy',
  'LeavesNetworkPolicy',
  'CountedByHPA',
  'ScaledByHPA',
  'CountedByPDB',
])

const ORDER = Object.keys(REASONS)

/** As in the vocabulary, wherever they were found: equal facts give an equal status. */
const inOrder = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.toSorted((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason))

const withWarnings = (finding: Finding, warnings: readonly Warning[]): Finding => ({
  ...finding,
  message: [finding.message, ...inOrder(warnings).map(({ reason, message }) => `${reason}: ${message}`)].join('; '),
})

/** Ready, Progressing and, only while a person must act, Stalled: as kstatus reads them. */
function summary({ is, reason, message }: Outcome): Finding[] {
  const ready = is === 'settled'
  const progressing = is === 'waiting' || is === 'failed'
  const findings: Finding[] = [
    { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
    { type: 'Progressing', status: progressing ? 'True' : 'False', reason, message },
  ]
  return is === 'stalled' ? [...findings, { type: 'Stalled', status: 'True', reason, message }] : findings
}

const ABOUT_THE_SOURCE: ReadonlySet<Reason> = new Set([
  'KindNotAvailable',
  'SourceIsExperiment',
  'SourceNotForkable',
  'SourceTemplateNotFound',
])

/** What the pass could say of the source; where it stopped earlier, nothing. */
function sourceResolved({ source, experiment, policing }: Observed, outcome: Outcome): Finding {
  const type = 'SourceResolved'
  const { kind, name } = experiment.spec.sourceRef
  if (ABOUT_THE_SOURCE.has(outcome.reason))
    return { type, status: 'False', reason: outcome.reason, message: outcome.message }
  if (policing?.isShared === false)
    return { type, status: 'False', reason: 'SourceNotAllowed', message: 'it was not looked at' }
  if (!policing && isApart(experiment)) return { type, status: 'Unknown', reason: 'PolicyNotRead', message: UNREAD }
  if (source && outcome.source?.pinned && source.metadata.uid !== outcome.source.uid) {
    const message = `${kind.toLowerCase()}/${name} was created anew; the experiment is pinned to the former one`
    return { type, status: 'False', reason: 'SourceReplaced', message }
  }
  if (source && !source.metadata.deletionTimestamp)
    return { type, status: 'True', reason: 'Resolved', message: `${kind.toLowerCase()}/${name}` }
  return { type, status: 'False', reason: 'SourceNotFound', message: `no ${kind.toLowerCase()}/${name}` }
}

function trafficShared({ fork }: Outcome, services: readonly ServiceShare[]): Finding {
  const told = (status: Finding['status'], reason: Reason, message: string): Finding => ({
    type: 'TrafficShared',
    status,
    reason,
    message,
  })
  if (!fork) return told('Unknown', 'Pending', 'there is no fork yet')
  if (objectOr(fork.spec).replicas === 0) return told('False', 'ScaledToZero', 'no pods, no traffic')
  const [first] = services
  if (!first) return told('False', 'NoService', 'no Service selects the pods of the source or of the experiment')
  const selecting = services.filter(({ selected }) => selected)
  const serving = selecting.filter(({ experimentEndpoints }) => experimentEndpoints > 0)
  const shared = serving.filter(({ reason }) => reason === undefined)
  if (shared.length > 0) return told('True', 'Selected', shared.map(tellShare).join(', '))
  const [routed] = serving
  if (routed) return told('Unknown', routed.reason ?? 'Selected', serving.map(tellReason).join('; '))
  if (selecting.length > 0) return told('False', 'NoReadyEndpoints', 'no pod of the experiment is a ready endpoint')
  return told('False', first.reason ?? 'NoService', services.map(tellReason).join('; '))
}

function tellShare({ name, share, experimentEndpoints, readyEndpoints, message }: ServiceShare): string {
  const counts = `${experimentEndpoints} of ${readyEndpoints} endpoints`
  return `service/${name}: ${share} of new connections (${counts})${message ? `; ${message}` : ''}`
}

const tellReason = ({ name, message }: ServiceShare): string => `service/${name}: ${message}`
