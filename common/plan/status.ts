import { type ConditionDraft, conditionsFrom } from '../api/conditions.ts'
import { MAX_VIOLATED } from '../api/decode-status.ts'
import { sourceNamespaceOf } from '../api/defaults.ts'
import { expiresAt } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import { attributesOf, isReason, REASONS, type Reason } from '../api/reasons.ts'
import type {
  Condition,
  ExperimentDeployment,
  ExperimentDeploymentStatus,
  ServiceShare,
  Warning,
} from '../api/types.ts'
import { notShared, notSharedReason, POLICIES_NOT_READ } from '../assess/checks.ts'
import { CONDITIONS_OF_STATE } from '../facts/decision.ts'
import { type Facts, forkAndSource, lastWriteOf, podsOf } from '../facts/facts.ts'
import { escapeTexts } from '../json/escape.ts'
import { at, isObject, listOr, objectOr } from '../json/json.ts'
import { aloneWarnings } from '../outcome/alone.ts'
import { type Conclusion, heldWarnings } from '../outcome/conclusion.ts'
import { formatFindings, type PolicyDecision, violatedPolicies } from '../outcome/policy-decision.ts'
import {
  cutOverConditions,
  hashesStatus,
  limitedWeight,
  ownedServices,
  pausedCondition,
  promotedCondition,
  strategyStatus,
} from '../run/run-status.ts'
import { tooFewInside } from '../run/scaled.ts'
import type { Situation } from '../situation/situation.ts'
import { type TrafficReport, trafficReport } from '../surroundings/traffic-report.ts'
import { shortName } from '../text/short-name.ts'
import { experimentId, isCrossNamespace } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import { analysisConditions, analysisStatus, unfoundSeries } from './analysis-status.ts'
import { wholeHashOf } from './occasion.ts'

/**
 * The whole status after a pass, computed from present facts. Equal facts give an equal status, so that it is written
 * once. Only times, and the source of a fork that is kept, come from the stored one.
 */
export function statusOf(situation: Situation, conclusion: Conclusion): ExperimentDeploymentStatus {
  const { facts } = situation
  const { experiment } = facts
  const [before, { generation, uid }] = [experiment.status, experiment.metadata]
  if (before?.strategy && conclusion.run?.addsHashes)
    return { ...before, ...hashesStatus(before.strategy, conclusion.run) }
  const { services, hazards, ...report } = reportOf(facts, conclusion)
  const collisions = [...report.collisions, ...aloneWarnings(conclusion.alone)]
  const warnings = inOrder([
    ...limitedWeight(conclusion.run),
    ...ownedServices(situation, conclusion.run),
    ...heldWarnings(conclusion),
    ...hazards,
    ...collisions,
  ])
  const drafts = [
    ...summary(conclusion),
    withWarnings(sourceResolved(facts, conclusion), hazards),
    withWarnings(trafficShared(facts, conclusion, services), collisions),
    policyCompliant(conclusion.policy),
    ...pausedCondition(situation, conclusion.run),
    ...promotedCondition(experiment, conclusion.run),
    ...cutOverConditions(situation, conclusion.run),
    ...tooFewInside(situation, conclusion.run),
    ...analysisConditions(facts, conclusion),
  ]
  const share = services.find(({ selected }) => selected)?.share
  // Keep the source of a pinned base even while there is no fork.
  const source = conclusion.source?.() ?? (conclusion.fork || before?.source?.pinned ? before?.source : undefined)
  const expires = expiresAt(experiment)
  // names, images and messages of others may have characters that change what a terminal shows
  return escapeTexts({
    observedGeneration: generation,
    conditions: conditionsFrom(drafts, before?.conditions ?? [], { observedGeneration: generation, now: facts.now }),
    replicas: count(conclusion, 'replicas'),
    readyReplicas: count(conclusion, 'readyReplicas'),
    selector: `${EXPERIMENT_ID}=${experimentId(uid)}`,
    // the API server forgets an empty list that is applied
    ...(services.length > 0 ? { services } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    sourceName: sourceName(experiment),
    ...(share === undefined ? {} : { share }),
    ...(source === undefined ? {} : { source }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...strategyStatus(situation, conclusion),
    ...analysisStatus(situation, conclusion),
    ...violations(conclusion.policy),
    ...(conclusion.alone ? { aloneSince: conclusion.alone.since } : {}),
    ...forkFacts(facts, conclusion),
    ...columns(facts, conclusion),
  })
}

/** `Deployment/cart`, or `Deployment/store/cart` for a source in another namespace. */
function sourceName(experiment: ExperimentDeployment): string {
  const { kind, name } = experiment.spec.sourceRef
  return isCrossNamespace(experiment) ? `${kind}/${sourceNamespaceOf(experiment)}/${name}` : `${kind}/${name}`
}

const count = ({ fork }: Conclusion, field: string): number => Number(at(fork, 'status', field) ?? 0)

/** The fork and its images, as the next pass needs and people see them. */
export function forkFacts(facts: Facts, conclusion: Conclusion): ExperimentDeploymentStatus {
  const { experiment, fork: before } = facts
  const { fork, repairInMs } = conclusion
  const stored = experiment.status?.experimentResourceRef
  // While the creation of a deleted fork waits, the deleted one stays: by it the next pass knows that this is a repair.
  if (!fork) return stored && repairInMs !== undefined ? { experimentResourceRef: stored } : {}
  const { apiVersion, kind, metadata } = fork
  const image = listOr(at(fork, 'spec', 'template', 'spec', 'containers'))
    .filter(isObject)
    .map((container) => String(container.image ?? ''))
    .join(',')
  const { name, namespace = '', uid = '', generation = 0 } = metadata
  // A fork that this pass did not write may have the change of another client. With 0 the next pass applies it again.
  const left = lastWriteOf(fork, facts)
  const writtenGeneration = fork !== knownValue(before) ? generation : left?.uid === uid ? left.generation : 0
  const ref = { apiVersion, kind, name, namespace, uid, generation: writtenGeneration, ...wholeHashOf(fork, stored) }
  return { image, experimentResourceRef: ref }
}

/** What `kubectl get` shows of the fork, as texts. The changes of a fork that was not derived now stay as stored. */
export function columns(facts: Facts, conclusion: Conclusion): ExperimentDeploymentStatus {
  const { experiment } = facts
  const { fork } = conclusion
  if (!fork) return {}
  const changes = conclusion.changes?.() ?? experiment.status?.changes
  return {
    pods: `${readyPods(facts, conclusion)}/${replicasOf(fork)}`,
    ...(changes === undefined ? {} : { changes }),
  }
}

/** Pods that work. A pod of a gated fork that is shut counts as not ready in the status of its workload. */
function readyPods(facts: Facts, conclusion: Conclusion): number {
  const pods = conclusion.run?.spec.isGated ? podsOf(facts) : undefined
  return pods
    ? pods.filter(({ hasReadyContainers, isBeingDeleted }) => hasReadyContainers && !isBeingDeleted).length
    : count(conclusion, 'readyReplicas')
}

/** Traffic and neighbours of the fork. Warnings about neighbours that cannot be read now stay as they are stored. */
function reportOf(facts: Facts, { fork }: Conclusion): TrafficReport {
  const pair = forkAndSource(facts, fork)
  if (!pair) return { services: [], hazards: [], collisions: [] }
  const found = trafficReport(pair, facts.surroundings)
  if (facts.surroundings.neighbours.is === 'known') return found
  const stored = facts.experiment.status?.warnings ?? []
  const kept = stored.filter(({ reason }) => isReason(reason) && attributesOf(reason).ofNeighbours)
  return { ...found, collisions: [...found.collisions, ...kept] }
}

const ORDER = Object.keys(REASONS)

/** In the order of `REASONS`, so that equal facts give an equal status. */
const inOrder = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.toSorted((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason))

const withWarnings = (draft: ConditionDraft, warnings: readonly Warning[]): ConditionDraft => ({
  ...draft,
  message: [draft.message, ...inOrder(warnings).map(({ reason, message }) => `${reason}: ${message}`)].join('; '),
})

/** Ready, Progressing and, only while a person must act, Stalled: as kstatus reads them. */
export function summary({ is, reason, message, analysis }: Conclusion): ConditionDraft[] {
  const { isReady, isProgressing, isStalled } = CONDITIONS_OF_STATE[is]
  return [
    { type: 'Ready', status: isReady ? 'True' : 'False', reason, message: message + unfoundSeries(analysis) },
    { type: 'Progressing', status: isProgressing ? 'True' : 'False', reason, message },
    ...(isStalled ? [{ type: 'Stalled', status: 'True', reason, message } as const] : []),
  ]
}

/** Drafts a condition of `type`. */
const draftOf =
  (type: Condition['type']) =>
  (status: Condition['status'], reason: Reason, message: string): ConditionDraft => ({ type, status, reason, message })

function sourceResolved({ source, experiment, policies }: Facts, conclusion: Conclusion): ConditionDraft {
  const draft = draftOf('SourceResolved')
  const workload = shortName(experiment.spec.sourceRef)
  if (attributesOf(conclusion.reason).about === 'source') return draft('False', conclusion.reason, conclusion.message)
  if (policies.is === 'known' && !policies.value.isShared)
    return draft(
      'False',
      notSharedReason(policies.value),
      `not checked: ${notShared(experiment, policies.value).message}`,
    )
  if (policies.is !== 'known' && isCrossNamespace(experiment))
    return draft('Unknown', 'PolicyNotRead', POLICIES_NOT_READ)
  const object = knownValue(source)?.object
  const base = conclusion.source?.()
  if (object && base?.pinned && object.metadata.uid !== base.uid) {
    const message = `${workload} was deleted and created again; the experiment keeps the base of the deleted one`
    return draft('False', 'SourceReplaced', message)
  }
  if (object && !object.metadata.deletionTimestamp) return draft('True', 'Resolved', workload)
  return draft('False', 'SourceNotFound', `no ${workload}`)
}

function trafficShared(
  { surroundings }: Facts,
  { fork, run }: Conclusion,
  services: readonly ServiceShare[],
): ConditionDraft {
  const draft = draftOf('TrafficShared')
  if (!fork) return draft('Unknown', 'Pending', 'there is no fork')
  if (objectOr(fork.spec).replicas === 0) return draft('False', 'ScaledToZero', 'no pods, no traffic')
  const [first] = services
  const isUnread = knownValue(surroundings.traffic)?.unread !== undefined
  if (!first && isUnread) return draft('Unknown', 'NotCompared', 'no other Service selects the pods')
  if (!first) return draft('False', 'NoService', 'no Service selects the pods of the source or of the fork')
  const selecting = services.filter(({ selected }) => selected)
  const serving = selecting.filter(({ experimentEndpoints }) => experimentEndpoints > 0)
  const shared = serving.filter(({ reason }) => reason === undefined)
  if (shared.length > 0) return draft('True', 'Selected', shared.map(formatShare).join(', '))
  const [routed] = serving
  if (routed) return draft('Unknown', routed.reason ?? 'Selected', serving.map(formatReason).join('; '))
  const isShut = run?.spec.isGated === true && run.target?.open === 0
  if (selecting.length > 0 && isShut) return draft('False', 'Shut', 'no pod is open, so no requests')
  if (selecting.length > 0) return draft('False', 'NoReadyEndpoints', 'no pod of the fork is a ready endpoint')
  const message = services.map(formatReason).join('; ')
  if (isUnread || services.some(({ reason }) => reason && attributesOf(reason).isUnknown))
    return draft('Unknown', 'NotCompared', message)
  return draft('False', first.reason ?? 'NoService', message)
}

/** The condition that reports the decision of the policies. Policies never delete a fork. */
export function policyCompliant(decision: PolicyDecision | undefined): ConditionDraft {
  const draft = draftOf('PolicyCompliant')
  switch (decision?.is) {
    case undefined:
      return draft('Unknown', 'Pending', 'not evaluated: the experiment needs no fork any more')
    case 'notRead':
      return draft('Unknown', 'PolicyNotRead', POLICIES_NOT_READ)
    case 'notShared':
      return draft('False', decision.reason, decision.message)
    case 'decided': {
      const { policies, findings } = decision
      if (findings.length > 0) return draft('False', 'PolicyViolated', formatFindings(findings))
      return draft('True', 'Compliant', policies.length > 0 ? `policies: ${policies.join(', ')}` : 'no policy applies')
    }
  }
}

/** The first policies by name about which that condition is `False`. */
function violations(decision: PolicyDecision | undefined): Pick<ExperimentDeploymentStatus, 'violatedPolicies'> {
  const names = decision ? [...new Set(violatedPolicies(decision))].sort().slice(0, MAX_VIOLATED) : []
  return names.length > 0 ? { violatedPolicies: names } : {}
}

function formatShare({ name, share, experimentEndpoints, readyEndpoints, message }: ServiceShare): string {
  const counts = `${experimentEndpoints} of ${readyEndpoints} endpoints`
  return `service/${name}: ${share} of new connections (${counts})${message ? `; ${message}` : ''}`
}

const formatReason = ({ name, message }: ServiceShare): string => `service/${name}: ${message}`
