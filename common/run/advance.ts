import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { RunWeight } from '../api/strategy.ts'
import { type AnalysisState, consequenceOf, verdictText } from '../assess/analysis.ts'
import type { Assessment, DesiredFork } from '../assess/assess.ts'
import { stalled } from '../facts/decision.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import type { Plan, RunReport } from '../outcome/conclusion.ts'
import { type RunPart, withPart } from '../outcome/part.ts'
import { isTakenBack } from '../situation/promotion.ts'
import { hasPromoted, isPromoted, promotionIn } from '../situation/run.ts'
import { withSeenSource } from '../situation/seen-now.ts'
import type { RunState, Situation } from '../situation/situation.ts'
import { storedSource } from '../situation/source-has.ts'
import { abortMove, next } from '../strategy/next.ts'
import { reach } from '../strategy/reach.ts'
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
import { lostForkMove, takenMove } from './scaled.ts'
import {
  addedHashes,
  endDecision,
  hasTarget,
  isAnyOpen,
  mayServe,
  moved,
  promotionPart,
  restOf,
  restore,
  runPartWithoutFork,
  serviceFirst,
  timeOf,
} from './way-back.ts'

/**
 * What the run of the strategy adds to the part of the fork: a move, or what it does at its step. Undefined without a
 * run, and while it is not known which fork a new run is about.
 */
export function runPart(
  situation: Situation,
  assessment: Assessment | undefined,
  fork: Plan,
  analysis?: AnalysisState,
): RunPart | undefined {
  const wanted = assessment?.is === 'wanted' ? assessment : undefined
  const { facts } = situation
  const present = wanted ? wanted.run() : situation.run
  if (!present || (!wanted && !facts.experiment.status?.strategy)) return undefined
  const state = { ...present, run: withSeenSource(facts, present.run, present.steps) }
  const services = servicesOf(facts, state, fork.conclusion.fork)
  const weight = weightOf(state, services)
  const isLost = hasPromoted(state) && situation.isReverted
  const report = { ...state, ...(weight === undefined ? {} : { weight }), ...(isLost ? { hasChange: false } : {}) }
  const adding = addedHashes(facts, report, analysis)
  if (adding) return adding
  const commandResult = applyCommand(situation, state)
  if (commandResult) return moved(report, commandResult)
  const sizedAgain = takenMove(situation, state) ?? lostForkMove(situation, state)
  if (sizedAgain) return moved(report, sizedAgain)
  if (!wanted) return runPartWithoutFork(situation, report, fork)
  const cutting = cutOver(situation, state, fork.conclusion.fork, wanted.gate)
  const first = serviceFirst(report, cutting)
  if (first) return first
  const pins = pinsOf(fork, cutting)
  const planned = { writes: [...fork.writes, ...pins.writes], conclusion: withPart(fork.conclusion, pins) }
  const context = { situation, facts, wanted, state, planned, services, cutting, analysis }
  const back = rolledBackBy(context) ?? unapprovedMove(situation, state)
  if (back) return moved(report, back)
  const promoting = promotionPlanAt(context)
  if (promoting) return { ...pins, ...promotionPart(facts, report, promoting, pins) }
  const reverted = revertedPart(context, report)
  if (reverted) return { ...pins, ...reverted }
  const found = nextMove(context)
  if (found.is === 'move') return moved(withForeignChange(context, report), found)
  const rest = restOf(found, cutting)
  const written = cutting?.pinning.length ? cutting.written : undefined
  const acts = planned.writes.length > 0 ? { acts: true, ...(written ? { written } : {}) } : {}
  const isRolledBack = !!analysis && consequenceOf(analysis) === 'RollBack'
  const decision = endDecision(situation, state, planned.conclusion, isRolledBack) ?? pins.decision
  const waits = state.steps[state.run.stepIndex]?.is === 'analysis' ? { analysis: awaitedVerdict(analysis) } : {}
  return { writes: pins.writes, decision, conclusion: { run: { ...report, ...rest, ...acts, ...waits } } }
}

/** The abort of the run because of a verdict. Once the source may have the change, there is no analysis. */
function rolledBackBy({ facts, state: { run }, analysis }: AdvanceContext) {
  return analysis && run.path === 'Forward' && consequenceOf(analysis) === 'RollBack'
    ? abortMove(run, `the analysis ended with ${verdictText(analysis)}`, facts)
    : undefined
}

/** What a run that waits for a verdict says of it. */
const awaitedVerdict = (analysis: AnalysisState | undefined) => ({
  isInconclusive: analysis !== undefined && consequenceOf(analysis) === 'Keep',
  message: analysis ? verdictText(analysis) : 'there is no analysis',
})

/** The writes that limit Services to the fork, once the fork itself needs no write. */
function pinsOf({ writes, conclusion }: Plan, cutting: CutOverPlan | undefined) {
  if (!cutting || writes.length > 0) return { writes: [] }
  const { pinning, decision } = cutting
  return { writes: pinning, ...(decision && conclusion.is === 'settled' ? { decision } : {}) }
}

/** What the run adds to `ending`, which deletes the fork of an expired experiment: it is aborted. */
export function expiredRunPart(situation: Situation, ending: Plan): RunPart | undefined {
  const { facts, storedRun: state } = situation
  if (!state) return undefined
  // the source still has the change, which undo takes back at any time
  const commandResult = isPromoted(situation) ? applyCommand(situation, state) : undefined
  if (commandResult) return moved(state, commandResult)
  const isGoing = state.run.path === 'Forward' && state.steps[state.run.stepIndex] !== undefined
  const { conclusion } = ending
  if (!isGoing) return runPartWithoutFork(situation, state, ending)
  const part = moved(state, abortMove(state.run, conclusion.message, facts))
  return { ...part, conclusion: { ...part.conclusion, fork: knownValue(facts.fork) } } // a later pass deletes it
}

/** What a pass has found out when it decides how the run goes on. */
interface AdvanceContext {
  readonly situation: Situation
  readonly facts: Facts
  readonly wanted: DesiredFork
  readonly state: RunState
  /** what the fork and its Services need */
  readonly planned: Pick<Plan, 'writes' | 'conclusion'>
  readonly services: readonly SelectingService[]
  readonly cutting: CutOverPlan | undefined
  readonly analysis: AnalysisState | undefined
}

/** Whether the fork is as the present step wants it, and its Services show that. */
const isReached = ({ planned: { writes, conclusion }, state, services }: AdvanceContext): boolean =>
  state.sizing?.isReached !== false &&
  writes.length === 0 &&
  conclusion.is === 'settled' &&
  hasTarget(state) &&
  services.every(isComplete)

/** Whether no pod of the fork gets requests, and its Services show that. */
const hasNoOpenPods = ({ facts, planned: { writes }, services }: AdvanceContext): boolean =>
  writes.length === 0 && !isAnyOpen(facts) && services.every(({ ofFork }) => ofFork === 0)

const isGone = ({ facts, planned: { writes } }: AdvanceContext): boolean =>
  writes.length === 0 && facts.fork.is === 'absent'

/** Whether the present step is done. A way back does not wait until pods of the fork are ready. */
function isDone(context: AdvanceContext): boolean {
  const { state, planned, cutting } = context
  switch (state.steps[state.run.stepIndex]?.is) {
    case 'remove':
      return isReached(context) || (state.sizing?.isReached !== false && isGone(context))
    case 'shut':
      return hasNoOpenPods(context)
    case 'return':
      return planned.writes.length === 0 && cutting?.isReached === true
    default:
      return isReached(context) && cutting?.isReached !== false
  }
}

/** While the source is smaller, the fork serves for it already, as far as it can. */
const isReserveReady = (context: AdvanceContext): boolean =>
  context.situation.scaling?.isServing === true || isReached(context) || !mayServe(context.planned)

/** The plan of a step that writes the source. Undefined at other steps, and while the fork is not ready for a write. */
function promotionPlanAt(context: AdvanceContext): PromotionPlan | undefined {
  const { situation, facts, wanted, state, planned } = context
  const is = state.steps[state.run.stepIndex]?.is
  if (planned.writes.length > 0 || state.run.held) return undefined
  if (is === 'restore') return restore(situation, wanted, { ...state, isReserveReady: isReserveReady(context) })
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
function revertedPart({ situation, facts, state }: AdvanceContext, report: RunReport): RunPart | undefined {
  const { run, steps, spec } = state
  const is = steps[run.stepIndex]?.is
  if ((is !== 'drain' && is !== 'refill') || report.hasChange !== false) return undefined
  const message = `${shortName(facts.experiment.spec.sourceRef)} no longer has the change`
  if (isTakenBack(situation)) return moved(report, abortMove(run, message, facts))
  const stepIndex = steps.findIndex(({ is }) => is === 'promote')
  if (!spec.blueGreen && !spec.isInsideSource)
    return moved(report, { run: atStep(run, { stepIndex }, facts.now), reason: 'SourceReverted', message })
  const decision = stalled('SourceReverted', `${message}; the fork is kept until it is there again`)
  return { decision, conclusion: { run: report } }
}

/** The next move of the run without a command, at a step that does not write the source. */
function nextMove(context: AdvanceContext) {
  const { situation, facts, state, planned, analysis } = context
  const { run, spec, steps, sizing } = state
  // the step begins when the source has its pods back
  if (sizing?.isReturning) return { is: 'stay' } as const
  const isFailed = planned.conclusion.because === 'overdue' && spec.progressDeadlineAbort
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
  const sides = { fork: replicasOf(pair.fork), source: pair.source ? replicasOf(pair.source) : 0 }
  const serving = reach(state.target, { ...sides, isGated })
  const pods = trafficInput(pair) // nobody knows how many of them get other labels while they run
  return trafficReport(pair, facts.surroundings).services.flatMap(
    ({ name, selected, experimentEndpoints: ofFork, readyEndpoints: all }) => {
      const view = views.get(name)
      if (!selected || !view || !selectsTemplate(view, pods) || (isGated && view.publishesNotReady)) return []
      return [{ ofFork, all, expected: selectedPods(view, serving.fork) }]
    },
  )
}

function weightOf({ target }: RunState, services: readonly SelectingService[]): RunWeight | undefined {
  if (target?.weight === undefined) return undefined
  const serving = services.find(({ all }) => all > 0)
  return { desired: target.weight, ...(serving ? { actual: Math.round((100 * serving.ofFork) / serving.all) } : {}) }
}
