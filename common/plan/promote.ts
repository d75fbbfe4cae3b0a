import { knownValue } from '../api/known.ts'
import { CONTROLLER_REVISION, REQUESTED_BY } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Decision, stalled, waiting } from '../assess/decision.ts'
import type { Facts } from '../assess/facts.ts'
import { overriddenSource, type PromotionWriter, promotionWriter } from '../assess/promotion.ts'
import { promotionIn, type RunState } from '../assess/run.ts'
import { hashOf } from '../json/canonical.ts'
import { isObject, type JsonObject, objectOr } from '../json/json.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { isInPlace, type Promotion, patchText, promotionOf } from '../strategy/promotion.ts'
import { shortNameOf } from '../text/short-name.ts'
import { baseHash, baseOf } from '../workload/base.ts'
import { forkHealth } from '../workload/health.ts'
import { promotionRecordName } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { isPinned } from '../workload/pinned.ts'
import { templateElsewhere } from '../workload/referent.ts'
import { ownerOfRevision } from './lifecycle.ts'
import type { Write } from './write.ts'

/** What a pass does at the step that promotes or restores. */
export interface Promoting {
  readonly writes: readonly Write[]
  readonly promotion: PromotionStatus
  /** what is told instead of the health of the fork */
  readonly decision?: Decision
  /** what the run waits for, while the fork is as it should be */
  readonly paused?: { readonly reason: Reason; readonly message: string }
  /** whether the step is done */
  readonly isReached?: boolean
}

/** The source is read again after this time: no event of ours tells that its rollout goes on. */
const RECHECK_MS = 2_000

/** The present state of the source, and what the override changes in it. */
interface Subject {
  readonly kind: WorkloadKind
  readonly source: KubeObject
  readonly spec: JsonObject
  readonly stored: PromotionStatus | undefined
}

/**
 * Brings the override into the source itself: records the former values, then makes the one write, and waits for the
 * source's own rollout. Where somebody else declares the source, it tells the patch and waits until the source has it.
 */
export function promote(facts: Facts, wanted: DesiredFork, state: RunState): Promoting | undefined {
  const subject = subjectOf(facts, wanted, state)
  if (!subject) return undefined
  const { source, stored, kind } = subject
  const overridden = overriddenSource(facts, source)
  const found = promotionOf(overridden)
  if (!found) return undefined
  const isInstalled = facts.promotion?.isInstalled === true
  const writer = promotionWriter(state.spec, { source, promotion: found, isInstalled })
  const status = promotionStatus(writer, stored)
  if (found.isDone) return rolledOut(facts, subject, { status, skipSteps: state.spec.skipSteps })
  if (stored?.written) {
    const message = `${shortNameOf(source)} no longer has the change; the fork is kept, and "promote" writes it again`
    return {
      writes: [],
      promotion: { ...status, written: stored.written },
      decision: stalled('SourceReverted', message),
    }
  }
  const elsewhere = templateElsewhere(kind, source)
  if (elsewhere !== undefined) return { writes: [], promotion: status, decision: stalled('SourceHoldsBack', elsewhere) }
  if (status.mode === 'Export') {
    const patch = patchText(overridden, found)
    const message = `until ${shortNameOf(source)} has the change: apply status.promotion.patch where it is declared`
    const promotion = patch === undefined ? status : { ...status, patch }
    const why = writer.because ? `; ${writer.because.message}` : ''
    return { writes: [], promotion, paused: { reason: 'AwaitingSource', message: `${message}${why}` } }
  }
  const obstacle = obstacleOf(facts, wanted, subject)
  if (obstacle) return { writes: [], promotion: status, decision: obstacle }
  const writing = waiting('Promoting', `writes ${shortNameOf(source)}`, 0)
  const record = recordOf(facts, wanted, found)
  if (!isRecorded(facts, record)) return { ...recorded(facts, record, status), decision: writing }
  const writes = [sourceWrite(kind, source, { spec: found.forward })]
  return { writes, promotion: { ...status, record: idOf(record) }, decision: writing }
}

/** Gives the source back its former values, if the promoted ones are still in place. */
export function restore(facts: Facts, wanted: DesiredFork, state: RunState): Promoting | undefined {
  const subject = subjectOf(facts, wanted, state)
  const promotion = facts.experiment.status?.promotion
  if (!subject || !promotion) return undefined
  const { source, spec, kind } = subject
  const shape = knownValue(facts.schema)?.shape ?? NO_SHAPE
  const record = knownValue(facts.promotion?.record ?? { is: 'absent' })
  const data = record && hashOf(record.data, DIGITS) === promotion.record?.hash ? objectOr(record.data) : {}
  const { forward, inverse } = data
  if (!isObject(forward) || !isObject(inverse))
    return { writes: [], promotion, decision: stalled('SourceDrifted', 'the record of the former values is gone') }
  if (isInPlace(spec, inverse as JsonObject, shape)) {
    const { decision } = rolledOut(facts, subject, { status: promotion, skipSteps: false })
    return { writes: [], promotion, ...(decision ? { decision } : { isReached: true }) }
  }
  if (!isInPlace(spec, forward as JsonObject, shape)) {
    const message = `${shortNameOf(source)} was changed after the promotion, so it stays as it is`
    return { writes: [], promotion, decision: stalled('SourceDrifted', message) }
  }
  const writes = [sourceWrite(kind, source, { spec: inverse as JsonObject })]
  return { writes, promotion, decision: waiting('Undoing', `restores ${shortNameOf(source)}`, 0) }
}

function subjectOf(facts: Facts, { kind }: DesiredFork, { run }: RunState): Subject | undefined {
  const source = knownValue(facts.promotion?.source ?? { is: 'absent' })
  const stored = promotionIn(facts.experiment, run)
  return source && { kind, source, spec: objectOr(source.spec) as JsonObject, stored }
}

const promotionStatus = ({ mode, because }: PromotionWriter, stored: PromotionStatus | undefined): PromotionStatus => ({
  mode,
  ...(because === undefined ? {} : { declaredBy: because.by }),
  ...(stored?.record === undefined ? {} : { record: stored.record }),
})

interface RollingOut {
  readonly status: PromotionStatus
  /** whether its own steps are skipped */
  readonly skipSteps: boolean
}

/** The source has the change, whoever made it. Its own rollout must end before the fork may go. */
function rolledOut(facts: Facts, { kind, source }: Subject, { status, skipSteps }: RollingOut): Promoting {
  const { uid = '', generation = 0 } = source.metadata
  const promotion = { ...status, written: { uid, generation } }
  const health = forkHealth(kind, source, facts.now)
  const message = `${shortNameOf(source)}: ${health.message}`
  if (health.is === 'ready') return { writes: [], promotion, isReached: true }
  if (health.is === 'stalled') return { writes: [], promotion, decision: stalled(health.reason, message) }
  const skipping = skipSteps ? kind.skippingSteps?.(source) : undefined
  const writes = skipping ? [sourceWrite(kind, source, { status: skipping })] : []
  return { writes, promotion, decision: waiting('Promoting', message, RECHECK_MS) }
}

/** Why the source cannot be written now. */
function obstacleOf(facts: Facts, wanted: DesiredFork, { kind, source }: Subject): Decision | undefined {
  const field = kind.holdsBack(source)
  if (field !== undefined)
    return waiting('SourceHoldsBack', `${shortNameOf(source)} has ${field}: a change would not reach all of its pods`)
  const health = forkHealth(kind, source, facts.now)
  if (health.is !== 'ready')
    return waiting('SourceNotSettled', `${shortNameOf(source)} is not settled: ${health.message}`, RECHECK_MS)
  if (isPinned(facts.experiment) && hasMoved(facts, wanted))
    return stalled('SourceDrifted', `${shortNameOf(source)} has changed since this experiment was pinned to it`)
  return undefined
}

function hasMoved(facts: Facts, { kind, base }: DesiredFork): boolean {
  const source = knownValue(facts.source)
  const { shape = NO_SHAPE, template } = knownValue(facts.schema) ?? {}
  const now = source && baseOf(kind, { source: source.object, referents: source.referents, shape, template })
  return now?.is !== 'base' || baseHash(now.base) !== base.source().templateHash
}

const DIGITS = 16

/** The ControllerRevision with both patches, beside the fork. */
const recordOf = ({ experiment }: Facts, { fork }: DesiredFork, { forward, inverse }: Promotion): KubeObject => ({
  apiVersion: CONTROLLER_REVISION.apiVersion,
  kind: CONTROLLER_REVISION.kind,
  metadata: {
    name: promotionRecordName(experiment),
    namespace: fork.metadata.namespace ?? '',
    ...ownerOfRevision(experiment),
  },
  revision: 1,
  data: { forward, inverse, by: authorOf(experiment) },
})

/** By whose word the source is written: who gave the last command, or who wrote the spec that needs none. */
const authorOf = ({ status, metadata: { annotations } }: ExperimentDeployment): string =>
  status?.strategy?.command?.by ?? annotations?.[REQUESTED_BY] ?? ''

const idOf = (record: KubeObject) => ({ name: record.metadata.name, hash: hashOf(record.data, DIGITS) })

/** Whether this very record is stored, and the status says so: many users may replace a ControllerRevision. */
function isRecorded({ promotion, experiment }: Facts, record: KubeObject): boolean {
  const stored = knownValue(promotion?.record ?? { is: 'absent' })
  const { hash } = idOf(record)
  return (
    stored !== undefined && hashOf(stored.data, DIGITS) === hash && experiment.status?.promotion?.record?.hash === hash
  )
}

function recorded({ promotion }: Facts, record: KubeObject, status: PromotionStatus) {
  const stored = knownValue(promotion?.record ?? { is: 'absent' })
  const isStored = stored !== undefined && hashOf(stored.data, DIGITS) === idOf(record).hash
  const create: Write = { verb: 'create', role: 'record', resource: CONTROLLER_REVISION, object: record }
  const remove: readonly Write[] = stored
    ? [{ verb: 'delete', role: 'record', resource: CONTROLLER_REVISION, of: stored }]
    : []
  return { writes: isStored ? [] : [...remove, create], promotion: { ...status, record: idOf(record) } }
}

/** With uid and resourceVersion: a change since it was read is a conflict, and everything is looked at again. */
function sourceWrite(
  resource: WorkloadKind,
  of: KubeObject,
  change: { spec: JsonObject } | { status: JsonObject },
): Write {
  const { uid = '', resourceVersion = '' } = of.metadata
  const patch = { metadata: { uid, resourceVersion }, ...change }
  const subresource = 'status' in change ? ({ subresource: 'status' } as const) : {}
  return { verb: 'patch', role: 'source', resource, of, patch, ...subresource }
}
