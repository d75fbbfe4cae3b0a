import { sourceNamespaceOf } from '../api/defaults.ts'
import { expiresAt } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, FORK_FINALIZER, OWNER_UID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { waiting } from '../facts/decision.ts'
import { type Facts, isAsWritten, lastWriteOf } from '../facts/facts.ts'
import type { Base } from '../fork/base.ts'
import { forkHealth } from '../fork/health.ts'
import { decodeBase, encodeBase, isPinned, pinnedSource } from '../fork/pinned.ts'
import type { JsonObject } from '../json/json.ts'
import type { Conclusion, Plan } from '../outcome/conclusion.ts'
import { returnFirst } from '../run/cut-over.ts'
import { deletionText, foreignFinalizers, keptByFinalizers, leaving } from '../run/leaving.ts'
import { ROLLOUT_RECHECK_MS } from '../run/promotion-obstacle.ts'
import { keptBy } from '../situation/pins.ts'
import type { Situation } from '../situation/situation.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { duration } from '../text/duration.ts'
import { shortName, shortNameOf } from '../text/short-name.ts'
import {
  hasForkFinalizer,
  hasOwnerReference,
  isBeingDeleted,
  isOwnedByLabels,
  isUnreadForkOf,
} from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { progressDeadlineMs } from '../workload/status.ts'
import { ownerOfRevision } from '../writes/revision-owner.ts'
import type { Write } from '../writes/write.ts'

/**
 * The finalizer of `kubectl delete --cascade=orphan`. Garbage collection then takes the owner reference from the fork.
 */
const ORPHAN = 'orphan'

/**
 * Takes the fork away, then what is left in another namespace and the finalizer, but only after the fork was observed
 * to be gone. Another finalizer may keep the experiment for any time, so that garbage collection would come too late.
 * In the middle of a promotion the fork stays until the source's own rollout is over.
 */
export function planDeletion(situation: Situation): Plan {
  const { facts } = situation
  const { kind, fork, experiment } = facts
  const { kind: kindName, name } = experiment.spec.sourceRef
  const terminating = (message: string, writes: readonly Write[] = [], recheckMs?: number): Plan => ({
    writes,
    conclusion: { ...waiting('Terminating', message, recheckMs), fork: knownValue(fork), source: undefined },
  })
  const unready = ({ writes, conclusion }: Plan): Plan => ({ writes, conclusion: { ...conclusion, is: 'unready' } })
  const returning = returnFirst(situation)
  if (returning) return terminating(returning.message, returning.writes, ROLLOUT_RECHECK_MS)
  const removal = removeFinalizer(experiment)
  const isOrphaned = fork.is === 'known' && !hasOwnerReference(experiment, fork.value)
  if (isOrphaned || (!isOwnedByLabels(experiment) && experiment.metadata.finalizers?.includes(ORPHAN)))
    return unready(terminating('its fork is left alone', isOwnedByLabels(experiment) ? [] : removal))
  const kept = keptBy(facts)
  if (kept !== undefined) return terminating(kept, [], KEPT_RECHECK_MS)
  if (kind.is === 'unknown')
    return terminating(`this version cannot say whether the fork of ${kindName}/${name} is gone`)
  if (fork.is === 'unknown')
    return terminating(`the fork could not be read now (${fork.because})`, deletionOfUnread(facts))
  const twin = knownValue(facts.twin?.object ?? { is: 'absent' })
  if (fork.is === 'absent' && twin) return terminating(deletionText(twin))
  if (fork.is === 'absent' || kind.is === 'absent')
    return unready(terminating(`its fork is gone${keptBesides(experiment)}`, [...deleteRevisions(facts), ...removal]))
  const rollout = awaitedRollout(situation, kind.value)
  if (rollout !== undefined) return terminating(`its fork serves until ${rollout}`, [], ROLLOUT_RECHECK_MS)
  const left = leave(facts, kind.value, fork.value)
  return withLeaving(terminating(left.waitsFor ?? deletionText(fork.value), left.writes), left)
}

/** The finalizers of others that keep an experiment whose fork is gone. */
export const keepersOf = ({ metadata }: ExperimentDeployment): readonly string[] =>
  foreignFinalizers({ metadata: { ...metadata, finalizers: otherFinalizers({ metadata }) } })

function keptBesides(experiment: ExperimentDeployment): string {
  const others = keepersOf(experiment)
  return others.length === 0 ? '' : `; ${keptByFinalizers(others)} the experiment`
}

/** A change of the Service wakes the experiment, so this is only for Services that can be read again. */
const KEPT_RECHECK_MS = 30_000

/** The rollout of the source for which a deletion waits, at most the progress deadline of the source. */
function awaitedRollout(situation: Situation, kind: WorkloadKind): string | undefined {
  const { experiment, promotion, now } = situation.facts
  const source = knownValue(promotion?.source ?? { is: 'absent' })
  if (!source || !hasForkFinalizer(experiment) || !isWritten(situation)) return undefined
  const waitedMs = now.getTime() - Date.parse(experiment.metadata.deletionTimestamp ?? '')
  const health = forkHealth(kind, source, now)
  if (health.is !== 'progressing' || waitedMs >= progressDeadlineMs(source)) return undefined
  return `${shortNameOf(source)} has its pods: ${health.message}`
}

/**
 * Takes the fork away, unless nobody would answer requests without it. The experiment stays and reports it; a higher
 * `ttlSeconds` creates the fork again.
 */
export function planExpiry(facts: Facts): Plan {
  const { kind, fork, experiment } = facts
  const adapter = knownValue(kind)
  const [expired, kept] = [expiryMessage(experiment), keptBy(facts)]
  const conclusion = { is: 'unready', reason: 'Expired', source: undefined } as const
  if (kept !== undefined && fork.is === 'known')
    return { writes: [], conclusion: { ...conclusion, message: `${expired}; ${kept}`, fork: fork.value } }
  if (!adapter || fork.is !== 'known') {
    const writes = kept === undefined ? deletionOfUnread(facts) : []
    return { writes, conclusion: { ...conclusion, message: expired, fork: undefined } }
  }
  const left = leave(facts, adapter, fork.value)
  const message = left.waitsFor === undefined ? expired : `${expired}; ${left.waitsFor}`
  return withLeaving({ writes: left.writes, conclusion: { ...conclusion, message, fork: left.fork } }, left)
}

/** Takes the fork of a run away whose change the source has. The experiment stays and reports it. */
export function planPromoted(situation: Situation): Plan {
  const { facts } = situation
  const { kind, fork, experiment } = facts
  const adapter = knownValue(kind)
  const left = adapter && fork.is === 'known' ? leave(facts, adapter, fork.value) : undefined
  const source = shortName(experiment.spec.sourceRef)
  const message = left?.waitsFor
    ? `${source} has the change; ${left.waitsFor}`
    : `${source} has the change, and the fork is gone`
  const conclusion = { is: 'settled', reason: 'Promoted', message, fork: left?.fork, source: undefined } as const
  const writes = left?.writes ?? (fork.is === 'unknown' ? deletionOfUnread(facts) : finalizerWrites(situation))
  return withLeaving({ writes, conclusion }, left)
}

/** Waits for the end of a fork that somebody has deleted, and that is still wanted. Then it is created again. */
export function planDeletedFork(situation: Situation, fork: KubeObject, { kind, base }: DesiredFork): Plan {
  const { facts } = situation
  const left = leave(facts, kind, fork)
  const decision = waiting('Terminating', `${left.waitsFor ?? deletionText(fork)}; it is created again then`)
  const writes = [...finalizerWrites(situation), ...left.writes]
  return withLeaving({ writes, conclusion: { ...decision, fork, source: base.source } }, left)
}

/** How the fork leaves in this pass. `fork`: undefined if it is deleted now. */
function leave(facts: Facts, resource: WorkloadKind, fork: KubeObject) {
  const { now, leavingMs, driftBackoffMs } = facts
  const isRefilled = leavingMs !== undefined && isChangedByOthers(facts, fork)
  const repair = isRefilled ? { repairInMs: driftBackoffMs } : {}
  const { write, waitsFor, leaving: of } = leaving(resource, fork, { role: 'fork', now, leavingMs, ...repair })
  return { writes: write ? [write] : [], waitsFor, leaving: of ? [of] : [], fork: of && fork }
}

const withLeaving = (planned: Plan, left: Pick<Conclusion, 'leaving'> | undefined): Plan =>
  left?.leaving?.length ? { ...planned, conclusion: { ...planned.conclusion, leaving: left.leaving } } : planned

/** `expired 2h after creation (2026-11-21T14:05Z); raise spec.ttlSeconds to run it again` */
export function expiryMessage(experiment: ExperimentDeployment): string {
  const { spec, status } = experiment
  const how = strategyRunSpec(spec) ? 'raise spec.ttlSeconds and give the command retry' : 'raise spec.ttlSeconds'
  const next = status?.strategy?.phase === 'Promoted' ? 'its source keeps the change' : `${how} to run it again`
  return `expired ${duration(spec.ttlSeconds ?? 0)} after creation (${toMinutes(expiresAt(experiment) ?? '')}); ${next}`
}

/** An RFC 3339 time without its seconds. */
export const toMinutes = (time: string): string => `${time.slice(0, 16)}Z`

/** Deletes a fork that somebody has made too large to be read: it must not stay beyond its time. */
function deletionOfUnread({ fork, kind, experiment }: Facts): readonly Write[] {
  const unread = fork.is === 'unknown' ? fork.unread : undefined
  const isLeft = unread && isUnreadForkOf(experiment, unread) && !isBeingDeleted(unread)
  return kind.is === 'known' && isLeft ? [{ verb: 'delete', role: 'fork', resource: kind.value, of: unread }] : []
}

/** Whether another client has changed the spec of the fork since the status told of this fork and this spec. */
export const isChangedByOthers = (facts: Facts, fork: KubeObject): boolean =>
  isReported(facts.experiment, fork) && !isAsWritten(fork, lastWriteOf(fork, facts))

const isReported = ({ status, metadata }: ExperimentDeployment, fork: KubeObject): boolean =>
  status?.experimentResourceRef?.uid === fork.metadata.uid && status?.observedGeneration === metadata.generation

/**
 * The writes that add the finalizer before it is needed: for a fork without an owner reference, and while a promotion
 * of ours needs the fork. Where it is not needed any more, they remove it.
 */
export function finalizerWrites(situation: Situation): readonly Write[] {
  const { experiment } = situation.facts
  const isNeeded = isOwnedByLabels(experiment) || isWritten(situation)
  if (!isNeeded) return removeFinalizer(experiment)
  return hasForkFinalizer(experiment) ? [] : [finalizers(experiment, [...otherFinalizers(experiment), FORK_FINALIZER])]
}

/** Whether we may have written the source, and its own rollout is not over. */
const isWritten = ({ facts, isWriting }: Situation): boolean =>
  facts.experiment.status?.promotion?.record !== undefined && isWriting

const removeFinalizer = (experiment: ExperimentDeployment): readonly Write[] =>
  hasForkFinalizer(experiment) ? [finalizers(experiment, otherFinalizers(experiment))] : []

const otherFinalizers = ({
  metadata: { finalizers = [] },
}: Pick<ExperimentDeployment, 'metadata'>): readonly string[] => finalizers.filter((each) => each !== FORK_FINALIZER)

/** With uid and resourceVersion: a change since the read is a conflict, so that no other finalizer is lost. */
function finalizers(of: ExperimentDeployment, finalizers: readonly string[]): Write {
  const { uid, resourceVersion = '' } = of.metadata
  const patch = { metadata: { uid, resourceVersion, finalizers } }
  return { verb: 'patch', role: 'experiment', resource: EXPERIMENT_DEPLOYMENT, of, patch }
}

/** Stores the pinned base before the fork is created; deletes it when the experiment follows its source again. */
export function baseWrites({ experiment, revision }: Facts, { base, fork }: DesiredFork): readonly Write[] {
  if (!isPinned(experiment)) return deleteBase(revision)
  if (pinnedSource(experiment) || revision.is === 'unknown') return []
  const object = revisionOf(experiment, fork, base.base)
  const create: Write = { verb: 'create', role: 'base', resource: CONTROLLER_REVISION, object }
  if (revision.is === 'absent') return [create]
  // The last pass ended before the status was written, or another client wrote the revision.
  return decodeBase(revision.value, base.source()) ? [] : [...deleteBase(revision), create]
}

const deleteBase = (revision: Facts['revision']): readonly Write[] =>
  revision.is === 'known' ? [{ verb: 'delete', role: 'base', resource: CONTROLLER_REVISION, of: revision.value }] : []

/** What garbage collection does not delete in another namespace: the pinned base and the record of a promotion. */
function deleteRevisions({ revision, promotion, experiment }: Facts): readonly Write[] {
  if (!isOwnedByLabels(experiment)) return deleteBase(revision)
  const record = knownValue(promotion?.record ?? { is: 'absent' })
  const ofRecord: readonly Write[] =
    record?.metadata.labels?.[OWNER_UID] === experiment.metadata.uid
      ? [{ verb: 'delete', role: 'record', resource: CONTROLLER_REVISION, of: record }]
      : []
  return [...deleteBase(revision), ...ofRecord]
}

/**
 * The ControllerRevision that keeps `base`, beside the fork and under its name. It contains the template of the source,
 * so it must be in the namespace of the source: many who may read the namespace of the experiment may not read that.
 */
const revisionOf = (experiment: ExperimentDeployment, fork: KubeObject, base: Base): KubeObject => ({
  apiVersion: CONTROLLER_REVISION.apiVersion,
  kind: CONTROLLER_REVISION.kind,
  metadata: {
    name: fork.metadata.name,
    namespace: sourceNamespaceOf(experiment),
    ...ownerOfRevision(experiment),
  },
  revision: 1,
  data: encodeBase(base) as JsonObject,
})
