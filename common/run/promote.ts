import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import type { Facts } from '../facts/facts.ts'
import { forkHealth, isUnseen } from '../fork/health.ts'
import type { JsonObject } from '../json/json.ts'
import { type WrittenObject, writtenBy } from '../outcome/conclusion.ts'
import { changesBetween } from '../override/changes.ts'
import { changedFields } from '../override/differences.ts'
import { type PromotionWriter, promotionWriter, sourceOverride, versionWith } from '../situation/promotion.ts'
import { promotionIn } from '../situation/run.ts'
import type { RunState } from '../situation/situation.ts'
import { doubtAbout, isStoredAs, sourceHas } from '../situation/source-has.ts'
import type { RunMove } from '../strategy/next.ts'
import { type Promotion, patchText, promotionOf, type SourceOverride } from '../strategy/promotion.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { templateElsewhere } from '../workload/referent.ts'
import type { Write } from '../writes/write.ts'
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
  /** where the run goes instead, if the step cannot be done */
  readonly moved?: RunMove
  /** where the run goes if the API server refuses the write, and why; absent: the write is tried again */
  readonly ifRefused?: (because: string) => RunMove
}

/** The present state of the source, and what the override changes in it. */
interface PromotionSubject {
  readonly kind: WorkloadKind
  readonly source: KubeObject
  readonly stored: PromotionStatus | undefined
}

export type Rolled = Pick<PromotionSubject, 'kind' | 'source'>

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
  const writer = promotionWriter(state.spec, { source, promotion: found, installed: facts.installed })
  const status = promotionStatus(writer, stored)
  const has = sourceHas(facts, source, { after: found.after, stored: stored?.written })
  if (has) {
    const version = versionWith(source, stored)
    // Others may make the change once the record is stored. Then its author is not known, and the rollout is theirs.
    const isOurs = stored?.record !== undefined && version.generation > 0
    const skipSteps = state.spec.skipSteps && isOurs && writer.mode !== 'Export'
    const promoting = rolledOut(facts, subject, { status: { ...status, written: version }, skipSteps })
    const { conditions } = facts.experiment.status ?? {}
    const wasReported = conditions?.some(({ type, status: value }) => type === 'Promoted' && value === 'True')
    const written = isOurs && !wasReported ? { written: writtenSource(facts, source, 'promoted') } : {}
    return { ...promoting, hasChange: true, ...written }
  }
  const patch = patchText(overridden, found)
  const { patch: _former, ...unpatched } = status
  const withPatch = patch === undefined ? unpatched : { ...unpatched, patch }
  if (stored?.written) {
    const { written } = stored
    if (has === undefined) return { writes: [], promotion: { ...status, written }, decision: asking(facts, source) }
    if (!isStoredAs(source, written)) {
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
    const why = [writer.because?.message, doubtAbout(facts, source, found)].filter((text) => text !== undefined)
    return {
      writes: [],
      promotion: withPatch,
      paused: { reason: 'AwaitingSource', message: [message, ...why].join('; ') },
    }
  }
  if (has === undefined) return { writes: [], promotion: status, decision: asking(facts, source) }
  const obstacle =
    recordObstacle(facts, state.run, subject) ??
    unseenObstacle(facts, state, source) ??
    promotionObstacle(facts, wanted, state, subject)
  if (obstacle) return { writes: [], promotion: status, decision: obstacle }
  const writing = waiting('Promoting', `writes ${shortNameOf(source)}`, 0)
  const record = recordOf(facts, wanted, { run: state.run, ...overridden, after: found.after })
  if (!isRecorded(facts, record)) return { ...recorded(facts, record, withPatch), decision: writing }
  const writes = [sourceWrite(kind, source, { spec: found.forward })]
  return { writes, promotion: recorded(facts, record, withPatch).promotion, decision: writing }
}

/** Only the API server can tell whether the source has the change, and it has not told yet. */
const asking = ({ dryRun }: Facts, source: KubeObject): Decision =>
  waiting(
    'Promoting',
    `asks the API server whether ${shortNameOf(source)} has the change`,
    dryRun?.againInMs ?? ROLLOUT_RECHECK_MS,
  )

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
export function notStored(source: KubeObject, verb: 'written' | 'restored', { spec, after, shape }: Stored): Decision {
  const fields = changedFields(changesBetween(spec, after, shape))
  const message = `${shortNameOf(source)} was ${verb}, but the API server did not store this: ${fields}`
  return stalled('ChangeNotStored', message)
}

/** The `spec` of a source as it is, and as the write asked for it. */
type Stored = Pick<SourceOverride, 'spec' | 'shape'> & Pick<Promotion, 'after'>

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
  /** whether the source gets back its former values; default: it is promoted */
  readonly isUndo?: boolean
}

/** The source has the change, whoever made it, or has it no more. Its own rollout must end before the fork may go. */
export function rolledOut(
  facts: Facts,
  { kind, source }: Rolled,
  { status: promotion, skipSteps, isUndo = false }: RollingOut,
): PromotionPlan {
  const health = forkHealth(kind, source, facts.now)
  const message = `${shortNameOf(source)}: ${health.message}`
  if (health.is === 'ready') return { writes: [], promotion, isReached: true }
  if (health.is === 'stalled') return { writes: [], promotion, decision: stalled(health.reason, message) }
  // what it waits for is not known before its controller has seen the write
  const isSeen = !isUnseen(health)
  const skipping = skipSteps && isSeen ? kind.skippingSteps?.(source) : undefined
  const writes = skipping ? [sourceWrite(kind, source, { status: skipping })] : []
  const held = isUndo && !skipping ? kind.heldBySteps?.(source) : undefined
  const text = held === undefined ? message : `${message}; ${held}`
  return { writes, promotion, decision: waiting(isUndo ? 'Undoing' : 'Promoting', text, ROLLOUT_RECHECK_MS) }
}

/** The Event about a source that was written. It names who caused that. */
export const writtenSource = ({ experiment }: Facts, object: KubeObject, was: keyof typeof WRITTEN): WrittenObject =>
  writtenBy(experiment, { object, ...WRITTEN[was] })

const WRITTEN = {
  promoted: { reason: 'Promoted', what: 'has the change of' },
  undone: { reason: 'Undone', what: 'no longer has the change of' },
} as const

/** With uid and resourceVersion: a change since it was read is a conflict, and everything is looked at again. */
export function sourceWrite(
  resource: WorkloadKind,
  of: KubeObject,
  change: { spec: JsonObject } | { status: JsonObject },
): Write {
  const { uid = '', resourceVersion = '' } = of.metadata
  const patch = { metadata: { uid, resourceVersion }, ...change }
  const subresource = 'status' in change ? ({ subresource: 'status' } as const) : {}
  return { verb: 'patch', role: 'source', resource, of, patch, ...subresource }
}
