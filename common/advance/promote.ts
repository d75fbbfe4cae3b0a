import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type WrittenObject, writtenBy } from '../conclusion/conclusion.ts'
import type { Write } from '../conclusion/write.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import type { Facts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { type JsonObject, objectOr } from '../json/json.ts'
import { changesBetween } from '../override/changes.ts'
import { changedFields } from '../override/differences.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { mergePatch } from '../override/strategic.ts'
import {
  isUntouched,
  type PromotionWriter,
  promotionWriter,
  recordedPatches,
  type SourceVersion,
  sourceOverride,
  versionWith,
} from '../run-state/promotion.ts'
import { promotionIn, type RunState } from '../run-state/run.ts'
import { isInPlace, type Promotion, patchText, promotionOf, type SourceOverride } from '../strategy/promotion.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { templateElsewhere } from '../workload/referent.ts'
import { promotionObstacle, ROLLOUT_RECHECK_MS, unseenObstacle } from './promotion-obstacle.ts'
import { isRecorded, recorded, recordObstacle, recordOf } from './promotion-record.ts'

/** What a pass does at the step that promotes or restores. */
export interface PromotionPlan {
  readonly writes: readonly Write[]
  readonly promotion: PromotionStatus
  /** replaces the decision that the health of the fork would give */
  readonly decision?: Decision
  /** what the run waits for, while the fork is as it should be */
  readonly paused?: { readonly reason: Reason; readonly message: string }
  /** whether the source has the change */
  readonly hasChange?: boolean
  /** a write of the source that is seen for the first time */
  readonly written?: WrittenObject
  /** whether the step is done */
  readonly isReached?: boolean
}

/** The present state of the source, and what the override changes in it. */
interface PromotionSubject {
  readonly kind: WorkloadKind
  readonly source: KubeObject
  readonly stored: PromotionStatus | undefined
}

type Rolled = Pick<PromotionSubject, 'kind' | 'source'>

/**
 * Brings the override into the source itself: records the former values, then makes the one write, and waits for the
 * rollout of the source. Where somebody else declares the source, it shows the patch and waits for the change.
 */
export function promote(facts: Facts, wanted: DesiredFork, state: RunState): PromotionPlan | undefined {
  const subject = subjectOf(facts, wanted, state)
  if (!subject) return undefined
  const { source, kind, stored } = subject
  const overridden = sourceOverride(facts, source)
  const found = promotionOf(overridden)
  if (!found) return undefined
  const isInstalled = facts.promotion?.isInstalled === true
  const writer = promotionWriter(state.spec, { source, promotion: found, isInstalled })
  const status = promotionStatus(writer, stored)
  if (found.isDone) {
    const version = versionWith(source, stored)
    // Others may make the change once the record is stored. Then its author is not known, and the rollout is theirs.
    const isOurs = stored?.record !== undefined && version.generation > 0
    const skipSteps = state.spec.skipSteps && isOurs && writer.mode !== 'Export'
    const promoting = rolledOut(facts, subject, { status: { ...status, written: version }, skipSteps })
    const { conditions } = facts.experiment.status ?? {}
    const wasReported = conditions?.some(({ type, status: value }) => type === 'Promoted' && value === 'True')
    const written = isOurs && !wasReported ? { written: writtenSource(facts, source, 'Promoted') } : {}
    return { ...promoting, hasChange: true, ...written }
  }
  const patch = patchText(overridden, found)
  const { patch: _former, ...unpatched } = status
  const withPatch = patch === undefined ? unpatched : { ...unpatched, patch }
  if (stored?.written) {
    const { written } = stored
    if (!isVersion(source, written)) {
      const promotion = { ...(status.mode === 'Export' ? withPatch : status), written }
      return { writes: [], promotion, decision: reverted(source, promotion) }
    }
    const decision = notStored(source, 'written', { ...overridden, after: found.after })
    return { writes: [], promotion: { ...status, written }, decision }
  }
  const elsewhere = templateElsewhere(kind, source)
  if (elsewhere !== undefined) return { writes: [], promotion: status, decision: stalled('SourceHoldsBack', elsewhere) }
  if (status.mode === 'Export') {
    const message = `until ${shortNameOf(source)} has the change: apply status.promotion.patch where it is declared`
    const why = writer.because ? `; ${writer.because.message}` : ''
    return { writes: [], promotion: withPatch, paused: { reason: 'AwaitingSource', message: `${message}${why}` } }
  }
  const obstacle =
    recordObstacle(facts, state.run, subject) ??
    unseenObstacle(facts, state, source) ??
    promotionObstacle(facts, wanted, state, subject)
  if (obstacle) return { writes: [], promotion: status, decision: obstacle }
  const writing = waiting('Promoting', `writes ${shortNameOf(source)}`, 0)
  const record = recordOf(facts, wanted, { run: state.run, ...found })
  if (!isRecorded(facts, record)) return { ...recorded(facts, record, withPatch), decision: writing }
  const writes = [sourceWrite(kind, source, { spec: found.forward })]
  return { writes, promotion: recorded(facts, record, withPatch).promotion, decision: writing }
}

/** Others reverted the change. With `Export` they also have to make it again. */
function reverted(source: KubeObject, { mode, record }: PromotionStatus): Decision {
  // an abort is refused while something of ours may be in the source
  const stop = record ? 'undo' : 'abort'
  const remedy =
    mode === 'Export'
      ? `; apply status.promotion.patch where it is declared, or give the command ${stop}`
      : ', and "promote" writes it again'
  return stalled('SourceReverted', `${shortNameOf(source)} no longer has the change; the fork is kept${remedy}`)
}

/** An API server or an admission webhook that changed the value once would change it again. */
function notStored(source: KubeObject, verb: 'written' | 'restored', { spec, after, shape }: Stored): Decision {
  const fields = changedFields(changesBetween(spec, after, shape))
  const message = `${shortNameOf(source)} was ${verb}, but the API server did not store this: ${fields}`
  return stalled('ChangeNotStored', message)
}

/** The `spec` of a source as it is, and as the write asked for it. */
type Stored = Pick<SourceOverride, 'spec' | 'shape'> & Pick<Promotion, 'after'>

/** Whether nobody has changed the spec of the source since it was `version`. */
const isVersion = ({ metadata: { uid, generation } }: KubeObject, version: SourceVersion): boolean =>
  uid === version.uid && generation === version.generation

/**
 * Gives the source back its former values, if the promoted ones are still in place. While all of its pods serve, it
 * waits until the fork can serve instead of those that the source's own rollout takes down.
 */
export function restore(
  facts: Facts,
  { kind }: Pick<DesiredFork, 'kind'>,
  { isReserveReady }: { readonly isReserveReady: boolean },
): PromotionPlan | undefined {
  const source = knownValue(facts.promotion?.source ?? { is: 'absent' })
  const stored = facts.experiment.status?.promotion
  if (!source || !stored) return undefined
  const { patch: _undone, ...promotion } = stored // nobody should commit it any more
  const spec = objectOr(source.spec) as JsonObject
  const shape = knownValue(facts.schema)?.shape ?? NO_SHAPE
  const patches = recordedPatches(facts)
  if (!patches) {
    // the record is stored before anything is written
    if (isUntouched(facts)) return { writes: [], promotion, isReached: true }
    const { record } = facts.promotion ?? {}
    const why = record?.is === 'unknown' ? `is not known: ${record.because}` : 'is gone'
    return { writes: [], promotion, decision: stalled('SourceDrifted', `the record of the former values ${why}`) }
  }
  const { forward, inverse } = patches
  if (isInPlace(spec, inverse, shape)) {
    const { decision } = rolledOut(facts, { kind, source }, { status: promotion, skipSteps: false })
    if (decision) return { writes: [], promotion, decision }
    const { restored: _done, ...undone } = promotion
    return { writes: [], promotion: undone, isReached: true, written: writtenSource(facts, source, 'Undone') }
  }
  // the inverse patch is written only once, as the patch of a promotion
  if (promotion.restored && isVersion(source, promotion.restored)) {
    const decision = notStored(source, 'restored', { spec, after: mergePatch(spec, inverse), shape })
    return { writes: [], promotion, decision }
  }
  const isAsWritten = promotion.written !== undefined && isVersion(source, promotion.written)
  if (promotion.restored || (!isAsWritten && !isInPlace(spec, forward, shape))) {
    const since = promotion.restored ? 'it was restored' : 'the promotion'
    const message = `${shortNameOf(source)} was changed after ${since}, so it stays as it is; change the source by hand`
    return { writes: [], promotion, decision: stalled('SourceDrifted', message) }
  }
  if (!isReserveReady && forkHealth(kind, source, facts.now).is === 'ready') {
    const message = `waits until the fork can serve while ${shortNameOf(source)} replaces its pods`
    return { writes: [], promotion, decision: waiting('Undoing', message, ROLLOUT_RECHECK_MS) }
  }
  const writes = [sourceWrite(kind, source, { spec: inverse })]
  return { writes, promotion, decision: waiting('Undoing', `restores ${shortNameOf(source)}`, 0) }
}

function subjectOf(facts: Facts, { kind }: DesiredFork, { run }: RunState): PromotionSubject | undefined {
  const source = knownValue(facts.promotion?.source ?? { is: 'absent' })
  const stored = promotionIn(facts.experiment, run)
  return source && { kind, source, stored }
}

const promotionStatus = ({ mode, because }: PromotionWriter, stored: PromotionStatus | undefined): PromotionStatus => ({
  mode,
  ...(because === undefined ? {} : { declaredBy: because.by }),
  ...(stored?.record === undefined ? {} : { record: stored.record }),
  // who declares the source elsewhere must commit this patch too, or the next apply reverts it
  ...(stored?.record === undefined || stored.patch === undefined ? {} : { patch: stored.patch }),
})

interface RollingOut {
  readonly status: PromotionStatus
  /** whether its own steps are skipped */
  readonly skipSteps: boolean
}

/** The source has the change, whoever made it. Its own rollout must end before the fork may go. */
function rolledOut(
  facts: Facts,
  { kind, source }: Rolled,
  { status: promotion, skipSteps }: RollingOut,
): PromotionPlan {
  const health = forkHealth(kind, source, facts.now)
  const message = `${shortNameOf(source)}: ${health.message}`
  if (health.is === 'ready') return { writes: [], promotion, isReached: true }
  if (health.is === 'stalled') return { writes: [], promotion, decision: stalled(health.reason, message) }
  const skipping = skipSteps ? kind.skippingSteps?.(source) : undefined
  const writes = skipping ? [sourceWrite(kind, source, { status: skipping })] : []
  return { writes, promotion, decision: waiting('Promoting', message, ROLLOUT_RECHECK_MS) }
}

/** The Event about a source that was written. It names who caused that. */
const writtenSource = ({ experiment }: Facts, source: KubeObject, reason: 'Promoted' | 'Undone'): WrittenObject => {
  const what = reason === 'Promoted' ? 'has the change of' : 'has its former values again, before'
  return writtenBy(experiment, { object: source, reason, what })
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
