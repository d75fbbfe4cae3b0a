import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { RunWeight } from '../api/strategy.ts'
import type { Assessment, DesiredFork } from '../assess/assess.ts'
import { stalled } from '../assess/decision.ts'
import { type Facts, forkAndSource } from '../assess/facts.ts'
import { promotionInto } from '../assess/promotion.ts'
import { podsOf, promotionIn, type RunState, runState, storedRun } from '../assess/run.ts'
import { at, isEmpty } from '../json/json.ts'
import { compile, type Step } from '../strategy/compile.ts'
import { openPods } from '../strategy/gate.ts'
import { aborted, completedEvent, next } from '../strategy/next.ts'
import { moved, phaseOf, type Run } from '../strategy/run.ts'
import { selectedPods } from '../surroundings/shares.ts'
import { trafficReport } from '../surroundings/traffic-report.ts'
import { replicasOf } from '../workload/status.ts'
import type { Conclusion, Plan, RunReport } from './conclusion.ts'
import { obey } from './obey.ts'
import { promotionDeniedBy } from './policy-decision.ts'
import { type Promoting, promote, restore } from './promote.ts'
import { endOf } from './run-status.ts'

/**
 * `planned` with the run of the strategy. A pass either moves the run or acts for it: a plan that moves it writes
 * nothing but the status, so that what comes next is stored before it is done.
 */
export function withRun(facts: Facts, assessment: Assessment | undefined, planned: Plan): Plan {
  const wanted = assessment?.is === 'wanted' ? assessment : undefined
  const state = runState(facts, wanted?.fork)
  if (!state || (!wanted && !facts.experiment.status?.strategy)) return planned
  const services = servicesOf(facts, state, planned.conclusion.fork)
  const weight = weightOf(state, services)
  const report = weight === undefined ? state : { ...state, weight }
  const said = obey(facts, state)
  if (said) return movedPlan(planned, report, said)
  if (!wanted) return withoutFork(facts, state, { ...planned, conclusion: { ...planned.conclusion, run: report } })
  const seen = { facts, wanted, state, planned, services }
  const promoting = promotingAt(seen)
  if (promoting) return promotingPlan(seen, report, promoting)
  const found = going(seen)
  if (found.is === 'move') return movedPlan(planned, report, found)
  const rest = found.restMs === undefined ? {} : { restMs: found.restMs }
  const acts = planned.writes.length > 0 ? { acts: true } : {}
  return { ...planned, conclusion: { ...ended(state, planned.conclusion), run: { ...report, ...rest, ...acts } } }
}

/** `planned`, which deletes the fork of an experiment that has expired, with the abort of its run. */
export function withExpiredRun(facts: Facts, planned: Plan): Plan {
  const state = storedRun(facts)
  if (!state) return planned
  const isGoing = state.run.path === 'Forward' && state.steps[state.run.stepIndex] !== undefined
  if (isGoing) return movedPlan(planned, state, aborted(state.run, planned.conclusion.message, facts))
  return withoutFork(facts, state, { ...planned, conclusion: { ...planned.conclusion, run: state } })
}

/** A way back ends also where no fork can be derived, because the source is gone or the override has a mistake. */
function withoutFork(facts: Facts, state: RunState, planned: Plan): Plan {
  const { fork } = facts
  const { run, steps } = state
  const step = steps[run.stepIndex]
  const report = planned.conclusion.run ?? state
  const staying = { ...planned, conclusion: ended(state, planned.conclusion) }
  if (planned.writes.length > 0 || run.path === 'Forward' || !step) return staying
  const hasNoPods =
    fork.is === 'absent' ||
    (fork.is === 'known' && replicasOf(fork.value) === 0 && !at(fork.value, 'status', 'replicas'))
  const isReached = step.is === 'shut' ? hasNoPods || !isAnyOpen(facts) : step.is === 'remove' && hasNoPods
  const found = next(run, hasNoPods ? withoutPauses(steps) : steps, { ...timeOf(facts, run), isReached, ...UNASKED })
  if (found.is === 'move') return movedPlan(planned, report, found)
  const rest = found.restMs === undefined ? {} : { restMs: found.restMs }
  return { ...staying, conclusion: { ...staying.conclusion, run: { ...report, ...rest } } }
}

const UNASKED = { isFailed: false, isApproved: false }

/** A fork without pods has nothing to inspect. */
const withoutPauses = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => (step.is === 'pause' ? { is: 'pause', seconds: 0 } : step))

/** What a pass has found out when it decides how the run goes on. */
interface Seen {
  readonly facts: Facts
  readonly wanted: DesiredFork
  readonly state: RunState
  readonly planned: Plan
  readonly services: readonly SelectingService[]
}

interface Move {
  readonly run: Run
  readonly reason: Reason
  readonly message: string
}

/** A plan that only moves the run. */
function movedPlan(planned: Plan, report: RunReport, { run, reason, message }: Move): Plan {
  const { reservation: _unused, ...others } = planned
  // another path has other steps
  const steps = run.path === report.run.path ? report.steps : compile(report.spec, run.path)
  const conclusion = { ...planned.conclusion, run: { ...report, run, steps, moved: { reason, message } } }
  return { ...others, writes: [], conclusion }
}

/** Whether the fork is as the present step wants it, and its Services show that. */
const isReached = ({ planned: { writes, conclusion }, state, services }: Seen): boolean =>
  writes.length === 0 && conclusion.is === 'settled' && hasTarget(state) && services.every(isComplete)

/** Whether no pod of the fork gets requests, and its Services show that. */
const isShut = ({ facts, planned: { writes }, services }: Seen): boolean =>
  writes.length === 0 && !isAnyOpen(facts) && services.every(({ ofFork }) => ofFork === 0)

/** Only a review does not know the pods. */
const isAnyOpen = (facts: Facts): boolean => openPods(podsOf(facts) ?? []) > 0

/** Whether pods of the fork that are not ready can be waited for. */
const mayServe = ({ conclusion: { is } }: Plan): boolean => is === 'waiting' || is === 'settled'

/**
 * What the pass does at a step that writes the source; undefined at other steps, and until the fork is ready for it.
 */
function promotingAt(seen: Seen): Promoting | undefined {
  const { facts, wanted, state, planned } = seen
  const step = state.steps[state.run.stepIndex]
  if (planned.writes.length > 0 || state.run.held) return undefined
  if (step?.is === 'restore') return restore(facts, wanted, { isReserveReady: isReached(seen) || !mayServe(planned) })
  if (step?.is !== 'promote') return undefined
  const isWritten = facts.experiment.status?.promotion?.written !== undefined
  if (!isWritten && !isReached(seen)) return undefined
  const denied = isWritten ? undefined : promotionDeniedBy(planned.conclusion.policy)
  if (!denied) return promote(facts, wanted, state)
  const promotion = promotionIn(facts.experiment, state.run) ?? { mode: state.spec.mode }
  return { writes: [], promotion, decision: denied }
}

function promotingPlan({ facts, state, planned }: Seen, of: RunReport, promoting: Promoting): Plan {
  const { writes, promotion, decision, paused, written, hasChange = false } = promoting
  const report = { ...of, promotion, ...(paused ? { paused } : {}), ...(written ? { written } : {}), hasChange }
  if (promoting.isReached) {
    const { run, steps } = state
    const step = steps[run.stepIndex]
    const event = completedEvent(run, steps, step ?? { is: 'promote' })
    return movedPlan(planned, report, { run: moved(run, { stepIndex: run.stepIndex + 1 }, facts.now), ...event })
  }
  return { ...planned, writes, conclusion: { ...planned.conclusion, ...decision, run: report } }
}

/** What the run does without a command, at a step that does not write the source. */
function going(seen: Seen) {
  const { facts, state, planned } = seen
  const { run, spec, steps } = state
  const isFailed = planned.conclusion.reason === 'ProgressDeadlineExceeded' && spec.progressDeadlineAbort
  const step = steps[run.stepIndex]?.is
  const isAwaiting = step === 'await'
  const isApproved = isAwaiting && (spec.approvedRevision === run.revision || hasChange(facts))
  const isDone = step === 'shut' ? isShut(seen) : isReached(seen)
  return next(run, steps, { ...timeOf(facts, run), isReached: isDone, isFailed, isApproved })
}

function timeOf({ now, stepElapsedMs = Number.POSITIVE_INFINITY }: Facts, { since }: Run) {
  const wallMs = Math.max(0, now.getTime() - Date.parse(since))
  return { now, elapsedMs: Math.min(wallMs, stepElapsedMs) }
}

/** Whether the source has the change by other hands. An empty override says nothing. */
function hasChange(facts: Facts): boolean {
  const source = knownValue(facts.source)?.object
  if (!source || isEmpty(facts.experiment.spec.overrideSpec)) return false
  return promotionInto(facts, source)?.isDone === true
}

/** A weight of a source without pods is no number of pods: the run waits until the source has some. */
const hasTarget = ({ target, run }: RunState): boolean =>
  target !== undefined &&
  (run.path === 'Abort' || target.weight === undefined || target.weight === 0 || target.open > 0)

/** After a way back, the fork has no pods until somebody edits the experiment or says `retry`. */
function ended(state: RunState, conclusion: Conclusion): Conclusion {
  const { run, steps } = state
  const phase = phaseOf(run, steps)
  const step = steps[run.stepIndex]
  if (phase === 'Aborted' && step?.is === 'pause')
    return { ...conclusion, ...stalled('Aborted', `the run was aborted; ${keptPods(run, step.seconds)}`) }
  if (conclusion.is !== 'settled') return conclusion
  if (state.target?.needed === undefined && state.target && !hasTarget(state))
    return { ...conclusion, message: 'no pods: the run waits until its source has some' }
  if (phase === 'Aborted') return { ...conclusion, ...stalled('Aborted', `the run was aborted; ${NO_PODS}`) }
  if (phase !== 'Undone') return conclusion
  return { ...conclusion, is: 'unready', reason: 'Undone', message: `the source has its former values; ${NO_PODS}` }
}

/** The pods of an aborted fork that are kept for inspection. */
const keptPods = ({ since }: Run, seconds: number | undefined): string =>
  `its pods get no requests and stay until ${seconds === undefined ? '' : `${endOf(since, seconds)}, or until `}you say retry or edit the override or the strategy`

const NO_PODS = 'the fork has no pods until you say retry or edit the override or the strategy'

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
  return trafficReport(pair, facts.surroundings).services.flatMap(
    ({ name, selected, experimentEndpoints: ofFork, readyEndpoints: all }) => {
      const view = views.get(name)
      if (!selected || !view || (isGated && view.publishesNotReady)) return []
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
