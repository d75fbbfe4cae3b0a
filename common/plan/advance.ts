import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { RunPath, RunWeight } from '../api/strategy.ts'
import type { Assessment } from '../assess/assess.ts'
import { stalled } from '../assess/decision.ts'
import { type Facts, forkAndSource } from '../assess/facts.ts'
import { type RunState, runState } from '../assess/run.ts'
import { compile } from '../strategy/compile.ts'
import { next } from '../strategy/next.ts'
import { phaseOf } from '../strategy/run.ts'
import { selectedPods } from '../surroundings/shares.ts'
import { trafficReport } from '../surroundings/traffic-report.ts'
import { replicasOf } from '../workload/status.ts'
import type { Conclusion, Plan } from './conclusion.ts'
import { obey } from './obey.ts'

/**
 * `planned` with the run of the strategy. A pass either moves the run or acts for it: a plan that moves it writes
 * nothing but the status, so that what comes next is stored before it is done.
 */
export function withRun(facts: Facts, assessment: Assessment, planned: Plan): Plan {
  const wanted = assessment.is === 'wanted' ? assessment.fork : undefined
  const { strategy } = facts.experiment.spec
  const state = runState(facts, wanted)
  if (!state || (!wanted && !facts.experiment.status?.strategy)) return planned
  const services = servicesOf(facts, planned.conclusion.fork)
  const weight = weightOf(state, services)
  const told = weight === undefined ? state : { ...state, weight }
  const found = obey(facts, state) ?? (wanted ? going(facts, state, { planned, services }) : STAY)
  if ('restMs' in found) {
    const rest = found.restMs === undefined ? {} : { restMs: found.restMs }
    const acts = planned.writes.length > 0 ? { acts: true } : {}
    const run = { ...told, ...rest, ...acts }
    return { ...planned, conclusion: { ...ended(state, planned.conclusion), run } }
  }
  const { run, reason, message } = found
  // The way back has other steps.
  const stepsOn = (path: RunPath) => (strategy && path !== state.run.path ? compile(strategy, path) : state.steps)
  const { reservation: _unused, ...others } = planned
  return {
    ...others,
    writes: [],
    conclusion: { ...planned.conclusion, run: { ...told, run, steps: stepsOn(run.path), moved: { reason, message } } },
  }
}

const STAY = { restMs: undefined }

interface Going {
  readonly planned: Plan
  readonly services: readonly SelectingService[]
}

/** What the run does without a command. */
function going(facts: Facts, state: RunState, { planned: { conclusion, writes }, services }: Going) {
  const { now, stepElapsedMs = Number.POSITIVE_INFINITY, experiment } = facts
  const isReached = writes.length === 0 && conclusion.is === 'settled' && hasTarget(state) && services.every(isComplete)
  const isFailed =
    conclusion.reason === 'ProgressDeadlineExceeded' && experiment.spec.strategy?.canary.progressDeadlineAbort === true
  const wallMs = Math.max(0, now.getTime() - Date.parse(state.run.since))
  const elapsedMs = Math.min(wallMs, stepElapsedMs)
  const found = next(state.run, state.steps, { now, elapsedMs, isReached, isFailed })
  return found.is === 'move' ? found : { restMs: found.restMs }
}

/** A weight of a source without pods is no number of pods: the run waits until the source has some. */
const hasTarget = ({ target, run }: RunState): boolean =>
  target !== undefined &&
  (run.path === 'Abort' || target.weight === undefined || target.weight === 0 || target.pods > 0)

/** After the way back, the fork has no pods until somebody edits the experiment. */
function ended({ run, steps }: RunState, conclusion: Conclusion): Conclusion {
  if (phaseOf(run, steps) !== 'Aborted' || conclusion.is !== 'settled') return conclusion
  return {
    ...conclusion,
    ...stalled('Aborted', 'the run was aborted and the fork has no pods; say retry or edit spec to start another'),
  }
}

/** A Service that selects the fork, with what its slices show. */
interface SelectingService {
  readonly ofFork: number
  readonly all: number
  /** how many of the fork it lists when all are ready */
  readonly expected: number
}

const isComplete = ({ ofFork, expected }: SelectingService): boolean => ofFork === expected

function servicesOf(facts: Facts, fork: KubeObject | undefined): readonly SelectingService[] {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const views = new Map(traffic.services.map((view) => [view.name, view]))
  return trafficReport(pair, facts.surroundings).services.flatMap(
    ({ name, selected, experimentEndpoints: ofFork, readyEndpoints: all }) => {
      const view = views.get(name)
      return selected && view ? [{ ofFork, all, expected: selectedPods(view, replicasOf(pair.fork)) }] : []
    },
  )
}

function weightOf({ target }: RunState, services: readonly SelectingService[]): RunWeight | undefined {
  if (target?.weight === undefined) return undefined
  const serving = services.find(({ all }) => all > 0)
  return { desired: target.weight, ...(serving ? { actual: Math.round((100 * serving.ofFork) / serving.all) } : {}) }
}
