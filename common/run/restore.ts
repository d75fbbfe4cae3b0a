import { ABSENT, knownValue } from '../api/known.ts'
import { MAX_REFUSAL } from '../api/limits.ts'
import type { Reason } from '../api/reasons.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { stalled, waiting } from '../facts/decision.ts'
import type { Facts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { type JsonObject, objectOr } from '../json/json.ts'
import type { Plan } from '../outcome/conclusion.ts'
import { isPromotedLast, sourceOverride } from '../situation/promotion.ts'
import type { Situation } from '../situation/situation.ts'
import { isStoredAs } from '../situation/source-has.ts'
import { obstacleOfAbort } from '../situation/undo.ts'
import { abortMove } from '../strategy/next.ts'
import { mergePatchBetween } from '../strategy/promotion.ts'
import type { Run } from '../strategy/run.ts'
import { fieldOf } from '../strategy/take-back.ts'
import { wholeClauses } from '../text/fitted.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'
import { notStored, type PromotionPlan, type Rolled, rolledOut, sourceWrite, writtenSource } from './promote.ts'
import { ROLLOUT_RECHECK_MS } from './promotion-obstacle.ts'

/** Reasons for which the fork may never get its pods, so an undo must not wait for it. */
const NOT_ALLOWED: ReadonlySet<Reason> = new Set(['LimitReached', 'PolicyNotRead'])

/** Whether pods of the fork that are not ready can be waited for. */
export const mayServe = ({ conclusion: { is, reason } }: Plan): boolean =>
  (is === 'waiting' || is === 'settled') && !NOT_ALLOWED.has(reason)

/** Where an undo stands. */
interface UndoState {
  readonly run: Run
  /** whether the fork can serve instead of the pods that the source's own rollout takes down */
  readonly isReserveReady: boolean
}

/**
 * Takes back what the promotion changed and the source still has, in one write. While all pods of the source serve, it
 * waits until the fork can serve instead of those that the source's own rollout takes down. It is done when the source
 * has nothing of the change any more, no matter who took it back. If the API server refuses the write, it is over, so
 * that it does not come later by itself.
 */
export function restore(
  { facts, undo, recordedPatches }: Situation,
  { kind }: Pick<DesiredFork, 'kind'>,
  { run, isReserveReady }: UndoState,
): PromotionPlan | undefined {
  const source = knownValue(facts.promotion?.source ?? ABSENT)
  const stored = facts.experiment.status?.promotion
  if (!source || !stored || !undo) return undefined
  const { patch: _undone, ...promotion } = stored // nobody should commit it any more
  const name = shortNameOf(source)
  if (undo.is === 'impossible') {
    // without the record, nobody knows when the source has its former values again
    const byHand = recordedPatches ? 'change the source by hand, or ' : ''
    const message = `${undo.because}; ${byHand}give the command abort, which leaves ${name} as it is`
    return { writes: [], promotion, decision: stalled('SourceDrifted', message) }
  }
  const { after, isDone, taken, left } = undo
  if (isDone) return restored(facts, { kind, source }, promotion, left.length === 0)
  // as the patch of a promotion, the patch of an undo is written only once
  if (promotion.restored) {
    const { spec, shape } = sourceOverride(facts, source)
    const isOurs = isStoredAs(source, promotion.restored)
    if (isOurs) return { writes: [], promotion, decision: notStored(source, 'restored', { spec, after, shape }) }
    const obstacle = obstacleOfAbort(facts)
    if (obstacle !== undefined)
      return { writes: [], promotion, decision: waiting('Undoing', obstacle, ROLLOUT_RECHECK_MS) }
    const why = `the undo ends: somebody has promoted ${name} again, which keeps ${listed(taken.map(fieldOf))}`
    return { writes: [], promotion, moved: abortMove(run, why, facts) }
  }
  if (!isReserveReady && forkHealth(kind, source, facts.now).is === 'ready') {
    const message = `waits until the fork can serve while ${name} replaces its pods`
    return { writes: [], promotion, decision: waiting('Undoing', message, ROLLOUT_RECHECK_MS) }
  }
  const writes = [sourceWrite(kind, source, { spec: mergePatchBetween(objectOr(source.spec) as JsonObject, after) })]
  const ifRefused = (because: string) => {
    const text = wholeClauses(MAX_REFUSAL, because)
    return abortMove(run, `the undo ends, because the API server refuses to restore ${name}: ${text}`, facts)
  }
  return { writes, promotion, decision: waiting('Undoing', `restores ${name}`, 0), ifRefused }
}

/**
 * The source has nothing of the change any more. Its own rollout must end before the fork may go. The own steps of a
 * Rollout are skipped, unless somebody else has written it since: their change waits there, too. Another experiment
 * writes under the same name, so `isFormer` says whether the source has the former value of each change.
 */
function restored(
  facts: Facts,
  { kind, source }: Rolled,
  promotion: PromotionStatus,
  isFormer: boolean,
): PromotionPlan {
  const isOurs = promotion.restored ? isStoredAs(source, promotion.restored) : isFormer && isPromotedLast(source)
  const mayWrite = facts.installed.promotion
  const rolling = rolledOut(facts, { kind, source }, { status: promotion, skipSteps: isOurs && mayWrite, isUndo: true })
  if (!rolling.isReached) return rolling
  const { restored: _done, ...undone } = promotion
  return { ...rolling, promotion: undone, written: writtenSource(facts, source, 'Undone') }
}
