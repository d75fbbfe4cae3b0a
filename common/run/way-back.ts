import { ABSENT, knownValue } from '../api/known.ts'
import { MAX_REFUSAL } from '../api/limits.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import { type AnalysisState, isWholeSubjectMissing } from '../assess/analysis.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { type Facts, podsOf } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { at, type JsonObject, objectOr } from '../json/json.ts'
import type { Conclusion, Plan, RunReport } from '../outcome/conclusion.ts'
import type { Part, RunPart } from '../outcome/part.ts'
import { hasRequests } from '../situation/pins.ts'
import { isPromotedLast, recordToAdd, sourceOverride } from '../situation/promotion.ts'
import { wasUndoAborted } from '../situation/run.ts'
import { lacksHashes } from '../situation/run-hash.ts'
import type { RunState, Situation } from '../situation/situation.ts'
import { isStoredAs } from '../situation/source-has.ts'
import { obstacleOfAbort } from '../situation/undo.ts'
import { compileSteps, type RunStep } from '../strategy/compile.ts'
import { openPods } from '../strategy/gate.ts'
import { abortMove, completedEvent, next, type RunMove } from '../strategy/next.ts'
import { mergePatchBetween } from '../strategy/promotion.ts'
import { atStep, isSameRun, phaseOf, type Run } from '../strategy/run.ts'
import { fieldOf } from '../strategy/take-back.ts'
import { wholeClauses } from '../text/fitted.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'
import { replicasOf } from '../workload/status.ts'
import { type CutOverPlan, cutOver } from './cut-over.ts'
import { endOfRun, wayBackText } from './end-of-run.ts'
import { notStored, type PromotionPlan, type Rolled, rolledOut, sourceWrite, writtenSource } from './promote.ts'
import { ROLLOUT_RECHECK_MS } from './promotion-obstacle.ts'

/** Only moves the run. */
export function moved(report: RunReport, { run, reason, message, by }: RunMove): RunPart {
  // another path has other steps
  const steps = run.path === report.run.path ? report.steps : compileSteps(report.spec, run.path)
  return {
    isStatusOnly: true,
    conclusion: { run: { ...report, run, steps, moved: { reason, message, ...(by === undefined ? {} : { by }) } } },
  }
}

/**
 * Only adds whole hashes to a run that an earlier version stored; undefined if it has them. They are stored before
 * anything is decided by them.
 */
export function addedHashes(facts: Facts, report: RunReport, analysis: AnalysisState | undefined): RunPart | undefined {
  const { strategy: stored, promotion } = facts.experiment.status ?? {}
  const { run } = report
  const record = recordToAdd(facts)
  if (!stored || !isSameRun(stored, run)) return undefined
  const isSubjectMissing = analysis !== undefined && isWholeSubjectMissing(analysis)
  if (!lacksHashes(stored, run) && !record && !isSubjectMissing) return undefined
  const added = promotion && record ? { promotion: { ...promotion, record } } : {}
  return { isStatusOnly: true, conclusion: { run: { ...report, ...added, addsHashes: true } } }
}

/** What a step adds that promotes or restores. `before`: what its Services add. */
export function promotionPart(
  facts: Facts,
  of: RunReport,
  { writes, promotion, decision, paused, written, hasChange = false, ifRefused, ...to }: PromotionPlan,
  before: Part = {},
): RunPart {
  const report = { ...of, promotion, ...(paused ? { paused } : {}), ...(written ? { written } : {}), hasChange }
  if (to.moved) return moved(report, to.moved)
  if (to.isReached) {
    const { run, steps } = of
    const step = steps[run.stepIndex]
    const event = completedEvent(run, steps, step ?? { is: 'promote' })
    return moved(report, { run: atStep(run, { stepIndex: run.stepIndex + 1 }, facts.now), ...event })
  }
  return {
    ...{ writes, decision: decision ?? before.decision, conclusion: { run: report } },
    ...(ifRefused ? { ifRefused: (because: string) => moved(report, ifRefused(because)).conclusion?.run } : {}),
  }
}

/**
 * Returns the Services of a blue-green, or aborts its run if needed, before anything else. Undefined if neither is
 * needed.
 */
export function serviceFirst(report: RunReport, cutting: CutOverPlan | undefined): RunPart | undefined {
  if (cutting?.moved) return moved(report, cutting.moved)
  if (!cutting || cutting.unpinning.length === 0) return undefined
  const { written, unpinning } = cutting
  return { first: unpinning, conclusion: { run: { ...report, acts: true, ...(written ? { written } : {}) } } }
}

/**
 * Goes on with the run where no fork can be derived, because the source is gone or the override has a mistake: a way
 * back ends there, too. `ending`: what becomes of the fork.
 */
export function runPartWithoutFork(situation: Situation, report: RunReport, ending: Plan): RunPart {
  const { facts } = situation
  const { fork } = facts
  const { run, steps } = report
  const step = steps[run.stepIndex]
  const cutting = cutOver(situation, report, ending.conclusion.fork)
  const first = serviceFirst(report, cutting)
  if (first) return first
  const restoring = restoredWithoutFork(situation, report, ending)
  if (restoring) return promotionPart(facts, report, restoring)
  const decision = endDecision(situation, report, ending.conclusion)
  const staying = { decision, conclusion: { run: report } }
  if (ending.writes.length > 0 || run.path === 'Forward' || !step) return staying
  const hasNoPods =
    fork.is === 'absent' ||
    (fork.is === 'known' && replicasOf(fork.value) === 0 && !at(fork.value, 'status', 'replicas'))
  const isGateless = !situation.installed.gate // nobody can shut the pods, so they are not kept for inspection
  const reached: Readonly<Partial<Record<RunStep['is'], boolean>>> = {
    return: hasNoPods || (cutting ? cutting.isReached : !hasRequests(situation)),
    shut: hasNoPods || isGateless || !isAnyOpen(facts),
    remove: hasNoPods && report.sizing?.isReached !== false,
  }
  const seen = {
    ...timeOf(facts, run),
    isReached: reached[step.is] ?? false,
    isFailed: false,
    isApproved: false,
    hasPassed: false,
  }
  const found = next(run, hasNoPods || isGateless ? withoutPauses(steps) : steps, seen)
  if (found.is === 'move') return moved(report, found)
  return { decision, conclusion: { run: { ...report, ...restOf(found, cutting) } } }
}

/**
 * Until when a run stays as it is: the end of a pause, or when its Services are looked at again or are returned,
 * whatever the fork waits for.
 */
export function restOf({ restMs }: { readonly restMs?: number }, cutting: CutOverPlan | undefined) {
  const all = [restMs, cutting?.recheckMs].filter((each) => each !== undefined)
  return all.length === 0 ? {} : { restMs: Math.min(...all) }
}

/**
 * What an undo does to the source where no fork can be derived, whose pods it then does not wait for. It waits for the
 * schema, with which the source is compared. Where admission checks no permissions, nothing is written.
 */
function restoredWithoutFork(situation: Situation, { run, steps }: RunState, planned: Plan): PromotionPlan | undefined {
  const { facts } = situation
  const kind = knownValue(facts.kind)
  const isDue = steps[run.stepIndex]?.is === 'restore' && !run.held && planned.writes.length === 0
  if (!isDue || !kind || facts.schema.is !== 'known' || facts.isExcluded) return undefined
  return restore(situation, { kind }, { run, isReserveReady: true })
}

/** A fork without pods has nothing to inspect, and one that cannot be shut must not be kept. */
const withoutPauses = (steps: readonly RunStep[]): readonly RunStep[] =>
  steps.map((step) => (step.is === 'pause' ? { is: 'pause', seconds: 0 } : step))

/** Whether any pod is open. Where the pods are not known, as in a review, none counts as open. */
export const isAnyOpen = (facts: Facts): boolean => openPods(podsOf(facts) ?? []) > 0

/** How long the present step has lasted: the smaller value of the wall clock and the monotonic clock. */
export function timeOf({ now, stepElapsedMs = Number.POSITIVE_INFINITY }: Facts, { since }: Run) {
  const wallMs = Math.max(0, now.getTime() - Date.parse(since))
  return { now, elapsedMs: Math.min(wallMs, stepElapsedMs) }
}

/** Whether the step has a number of pods. A weight above 0 has none while the source has no pods: the run waits. */
export const hasTarget = ({ target, run }: RunState): boolean =>
  target !== undefined &&
  (run.path === 'Abort' || target.weight === undefined || target.weight === 0 || (target.goal?.fork ?? target.open) > 0)

/**
 * The decision at the end of a run; undefined: that of the fork stands. After a way back, the fork has no pods until
 * somebody edits the experiment or gives the command `retry`, or `undo` after an undo that was aborted.
 */
export function endDecision(
  situation: Situation,
  state: RunState,
  { is, reason }: Conclusion,
  isRolledBack = false,
): Decision | undefined {
  const { run, steps } = state
  const phase = phaseOf(run, steps)
  const known = { isRolledBack, mayHaveChange: wasUndoAborted(situation, run) }
  if (phase === 'Aborted' && steps[run.stepIndex]?.is === 'pause') return stalled('Aborted', wayBackText(state, known))
  if (is !== 'settled') return undefined
  if (state.target?.needed === undefined && state.target && !hasTarget(state))
    return { is, reason, message: 'no pods: the run waits until its source has some' }
  if (phase === 'Aborted') return stalled('Aborted', wayBackText(state, known))
  if (phase !== 'Undone') return undefined
  const message = `the source no longer has the change; ${endOfRun(state, known)}`
  return { is: 'unready', reason: 'Undone', message }
}

/** Whether pods of the fork that are not ready can be waited for. If policies deny them, it may never get them. */
export const mayServe = ({ conclusion: { is, because } }: Plan): boolean =>
  (is === 'waiting' || is === 'settled') && because !== 'denied'

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
  return { ...rolling, promotion: undone, written: writtenSource(facts, source, 'undone') }
}
