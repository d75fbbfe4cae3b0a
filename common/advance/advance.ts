import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { RunWeight } from '../api/strategy.ts'
import { type AnalysisState, consequenceOf, verdictText } from '../assess/analysis.ts'
import type { Assessment, DesiredFork } from '../assess/assess.ts'
import type { Plan, RunReport } from '../conclusion/conclusion.ts'
import { stalled } from '../facts/decision.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { isTakenBack } from '../run-state/promotion.ts'
import { hasPromoted, isPromoted, promotionIn } from '../run-state/run.ts'
import { withSeenSource } from '../run-state/seen-now.ts'
import type { RunState, Situation } from '../run-state/situation.ts'
import { storedSource } from '../run-state/source-has.ts'
import { abortMove, next } from '../strategy/next.ts'
import { approvedNow, atStep } from '../strategy/run.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { selectedPods, selectsTemplate } from '../surroundings/shares.ts'
import { trafficReport } from '../surroundings/traffic-report.ts'
import { shortName } from '../text/short-name.ts'
import { replicasOf } from '../workload/status.ts'
import { applyCommand } from './command.ts'
import { type CutOverPlan, cutOver } from './cut-over.ts'
import { type PromotionPlan, promote } from './promote.ts'
import { isRevisionApproved, promotionDenial, unapprovedMove } from './promotion-obstacle.ts'
import { mayServe, restore } from './restore.ts'
import {
  addedHashes,
  hasTarget,
  isAnyOpen,
  movedPlan,
  restOf,
  serviceFirst,
  timeOf,
  withEndOfRun,
  withoutFork,
  withPromotionPlan,
} from './way-back.ts'

/**
 * `planned` with the run of the strategy. A pass either moves the run or acts for it: a plan that moves it writes
 * nothing but the status, so that what comes next is stored before it is done.
 */
export function withRun(
  situation: Situation,
  assessment: Assessment | undefined,
  planned: Plan,
  analysis?: AnalysisState,
): Plan {
  const wanted = assessment?.is === 'wanted' ? assessment : undefined
  const { facts } = situation
  const present = wanted ? wanted.run() : situation.run
  if (!present || (!wanted && !facts.experiment.status?.strategy)) return planned
  const state = { ...present, run: withSeenSource(facts, present.run, present.steps) }
  const services = servicesOf(facts, state, planned.conclusion.fork)
  const weight = weightOf(state, services)
  const isLost = hasPromoted(state) && situation.isReverted
  const report = { ...state, ...(weight === undefined ? {} : { weight }), ...(isLost ? { hasChange: false } : {}) }
  const adding = addedHashes(facts, planned, report, analysis)
  if (adding) return adding
  const commandResult = applyCommand(situation, state)
  if (commandResult) return movedPlan(planned, report, commandResult)
  if (!wanted) return withoutFork(situation, state, { ...planned, conclusion: { ...planned.conclusion, run: report } })
  const cutting = cutOver(situation, state, planned.conclusion.fork, wanted.gate)
  const first = serviceFirst(planned, report, cutting)
  if (first) return first
  const context = { situation, facts, wanted, state, planned: withPins(planned, cutting), services, cutting, analysis }
  const back = rolledBackBy(context) ?? unapprovedMove(situation, state)
  if (back) return movedPlan(planned, report, back)
  const promoting = promotionPlanAt(context)
  if (promoting) return withPromotionPlan(context, report, promoting)
  const reverted = revertedPlan(context, report)
  if (reverted) return reverted
  const found = nextMove(context)
  if (found.is === 'move') return movedPlan(planned, withForeignChange(context, report), found)
  const rest = restOf(found, cutting)
  const { writes, conclusion } = context.planned
  const written = cutting?.pinning.length ? cutting.written : undefined
  const acts = writes.length > 0 ? { acts: true, ...(written ? { written } : {}) } : {}
  const ended = withEndOfRun(situation, state, conclusion, !!analysis && consequenceOf(analysis) === 'RollBack')
  const waits = state.steps[state.run.stepIndex]?.is === 'analysis' ? { analysis: awaitedVerdict(analysis) } : {}
  return {
    ...context.planned,
    conclusion: { ...ended, run: { ...report, ...rest, ...acts, ...waits } },
  }
}

/** The abort of the run because of a verdict. Once the source may have the change, there is no analysis. */
function rolledBackBy({ facts, state: { run }, analysis }: AdvanceContext) {
  return analysis && run.path === 'Forward' && consequenceOf(analysis) === 'RollBack'
    ? abortMove(run, `the analysis ended with ${verdictText(analysis)}`, facts)
    : undefined
}

/** Reason and message of a run that waits for a verdict. */
const awaitedVerdict = (analysis: AnalysisState | undefined) => ({
  reason:
    analysis && consequenceOf(analysis) === 'Keep' ? ('AnalysisInconclusive' as const) : ('AnalysisStep' as const),
  message: analysis ? verdictText(analysis) : 'there is no analysis',
})

/** Adds the writes that limit Services to the fork, once the fork itself needs no write. */
function withPins(planned: Plan, cutting: CutOverPlan | undefined): Plan {
  if (!cutting || planned.writes.length > 0) return planned
  const { pinning, decision } = cutting
  const shownDecision = decision && planned.conclusion.is === 'settled' ? decision : {}
  return { ...planned, writes: pinning, conclusion: { ...planned.conclusion, ...shownDecision } }
}

/** `planned` deletes the fork of an expired experiment; this also aborts its run. */
export function withExpiredRun(situation: Situation, planned: Plan): Plan {
  const { facts, storedRun: state } = situation
  if (!state) return planned
  // the source still has the change, which undo takes back at any time
  const commandResult = isPromoted(situation) ? applyCommand(situation, state) : undefined
  if (commandResult) return movedPlan(planned, state, commandResult)
  const isGoing = state.run.path === 'Forward' && state.steps[state.run.stepIndex] !== undefined
  const conclusion = { ...planned.conclusion, fork: knownValue(facts.fork) } // a later pass deletes it
  if (isGoing) return movedPlan({ ...planned, conclusion }, state, abortMove(state.run, conclusion.message, facts))
  return withoutFork(situation, state, { ...planned, conclusion: { ...planned.conclusion, run: state } })
}

/** What a pass has found out when it decides how the run goes on. */
interface AdvanceContext {
  readonly situation: Situation
  readonly facts: Facts
  readonly wanted: DesiredFork
  readonly state: RunState
  readonly planned: Plan
  readonly services: readonly SelectingService[]
  readonly cutting: CutOverPlan | undefined
  readonly analysis: AnalysisState | undefined
}

/** Whether the fork is as the present step wants it, and its Services show that. */
const isReached = ({ planned: { writes, conclusion }, state, services }: AdvanceContext): boolean =>
  writes.length === 0 && conclusion.is === 'settled' && hasTarget(state) && services.every(isComplete)

/** Whether no pod of the fork gets requests, and its Services show that. */
const hasNoOpenPods = ({ facts, planned: { writes }, services }: AdvanceContext): boolean =>
  writes.length === 0 && !isAnyOpen(facts) && services.every(({ ofFork }) => ofFork === 0)

/** Whether the present step is done. A way back does not wait until pods of the fork are ready. */
function isDone(context: AdvanceContext): boolean {
  const { facts, state, planned, cutting } = context
  switch (state.steps[state.run.stepIndex]?.is) {
    case 'remove':
      return isReached(context) || (planned.writes.length === 0 && facts.fork.is === 'absent')
    case 'shut':
      return hasNoOpenPods(context)
    case 'return':
      return planned.writes.length === 0 && cutting?.isReached === true
    default:
      return isReached(context) && cutting?.isReached !== false
  }
}

/** The plan of a step that writes the source. Undefined at other steps, and while the fork is not ready for a write. */
function promotionPlanAt(context: AdvanceContext): PromotionPlan | undefined {
  const { situation, facts, wanted, state, planned } = context
  const is = state.steps[state.run.stepIndex]?.is
  if (planned.writes.length > 0 || state.run.held) return undefined
  if (is === 'restore')
    return restore(situation, wanted, { ...state, isReserveReady: isReached(context) || !mayServe(planned) })
  if (is !== 'promote') return undefined
  const promoting = promote(facts, wanted, state)
  const isThere = promoting?.hasChange === true
  const isWritten = facts.experiment.status?.promotion?.written !== undefined || (isThere && situation.hasChange)
  if (!isWritten && !(isReached(context) && context.cutting?.isReached !== false)) return undefined
  // policies forbid writes, so they are not asked where nothing is written
  const denied = isWritten || isThere || promoting?.paused ? undefined : promotionDenial(context)
  if (!denied) return promoting
  const promotion = promotionIn(facts.experiment, state.run) ?? { mode: state.spec.mode }
  return { writes: [], promotion, decision: denied }
}

/**
 * If others made the change while the run waits for `promote`, it goes on, and remembers that. They may revert it
 * before the run reaches its promotion. Then the source must not be written without a command.
 */
function withForeignChange({ situation, facts, state }: AdvanceContext, report: RunReport): RunReport {
  const { run, steps, spec } = state
  const source = knownValue(facts.source)?.object
  if (steps[run.stepIndex]?.is !== 'await' || isRevisionApproved(state) || !source || !situation.hasChange)
    return report
  return { ...report, promotion: { mode: spec.mode, written: storedSource(source) } }
}

/**
 * The source lost the change while the fork is kept after the promotion. The run goes back to its promotion and waits
 * for a command. A blue-green only stalls, because going back would limit its Service to the fork again. If others made
 * and reverted the change, the run is aborted.
 */
function revertedPlan({ situation, facts, state, planned }: AdvanceContext, report: RunReport): Plan | undefined {
  const { run, steps, spec } = state
  if (steps[run.stepIndex]?.is !== 'drain' || report.hasChange !== false) return undefined
  const message = `${shortName(facts.experiment.spec.sourceRef)} no longer has the change`
  if (isTakenBack(situation)) return movedPlan(planned, report, abortMove(run, message, facts))
  const stepIndex = steps.findIndex(({ is }) => is === 'promote')
  if (!spec.blueGreen)
    return movedPlan(planned, report, { run: atStep(run, { stepIndex }, facts.now), reason: 'SourceReverted', message })
  const decision = stalled('SourceReverted', `${message}; the fork is kept until it is there again`)
  return { ...planned, conclusion: { ...planned.conclusion, ...decision, run: report } }
}

/** The next move of the run without a command, at a step that does not write the source. */
function nextMove(context: AdvanceContext) {
  const { situation, facts, state, planned, analysis } = context
  const { run, spec, steps } = state
  const isFailed = planned.conclusion.reason === 'ProgressDeadlineExceeded' && spec.progressDeadlineAbort
  const isAwaiting = steps[run.stepIndex]?.is === 'await'
  const isApproved = isAwaiting && (isRevisionApproved(state) || situation.hasChange)
  const hasPassed = analysis !== undefined && consequenceOf(analysis) === 'Pass'
  const seen = { ...timeOf(facts, run), isReached: isDone(context), isFailed, isApproved, hasPassed }
  return next(isAwaiting && isRevisionApproved(state) ? approvedNow(run) : run, steps, seen)
}

/** A Service that selects the fork, with what its slices show. */
interface SelectingService {
  readonly ofFork: number
  readonly all: number
  /** how many of the fork it lists when all are ready */
  readonly expected: number
}

const isComplete = ({ ofFork, expected }: SelectingService): boolean => ofFork === expected

function servicesOf(facts: Facts, state: RunState, fork: KubeObject | undefined): readonly SelectingService[] {
  const { isGated } = state.spec
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const views = new Map(traffic.services.map((view) => [view.name, view]))
  const pods = trafficInput(pair) // nobody knows how many of them get other labels while they run
  return trafficReport(pair, facts.surroundings).services.flatMap(
    ({ name, selected, experimentEndpoints: ofFork, readyEndpoints: all }) => {
      const view = views.get(name)
      if (!selected || !view || !selectsTemplate(view, pods) || (isGated && view.publishesNotReady)) return []
      return [
        { ofFork, all, expected: selectedPods(view, isGated ? (state.target?.open ?? 0) : replicasOf(pair.fork)) },
      ]
    },
  )
}

function weightOf({ target }: RunState, services: readonly SelectingService[]): RunWeight | undefined {
  if (target?.weight === undefined) return undefined
  const serving = services.find(({ all }) => all > 0)
  return { desired: target.weight, ...(serving ? { actual: Math.round((100 * serving.ofFork) / serving.all) } : {}) }
}
