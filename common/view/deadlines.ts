import type { AnalysisRun } from '../analysis/kinds/run.ts'
import { expiresAt } from '../api/expiry.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { at } from '../json/json.ts'
import { compileSteps } from '../strategy/compile.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import type { State, ViewDeadline } from './experiment-view.ts'
import { countAt, itemsAt, textAt, timeAfter, timeAt, timeIn } from './members.ts'
import { isObserved, stateOf } from './state.ts'

/** What is known beside the experiment. */
interface Beside {
  readonly fork?: KubeObject | undefined
  readonly run?: AnalysisRun | undefined
}

/** In these states nothing happens by itself any more. */
const OVER: ReadonlySet<State> = new Set(['Terminating', 'Ended'])

/** The times at which something happens by itself, the next one first. */
export function deadlinesOf(experiment: ExperimentDeployment, { fork, run }: Beside = {}): readonly ViewDeadline[] {
  if (OVER.has(stateOf(experiment))) return []
  const times: Readonly<Record<ViewDeadline['what'], string | undefined>> = {
    expires: timeAt(experiment, 'metadata', 'creationTimestamp') && expiresAt(experiment),
    pause: pauseEnd(experiment),
    progressDeadline: fork && progressDeadline(fork),
    analysis: run && analysisEnd(experiment, run),
  }
  return WHAT.flatMap((what) => {
    const time = times[what]
    return time === undefined ? [] : [{ what, at: time }]
  }).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const WHAT: readonly ViewDeadline['what'][] = ['expires', 'pause', 'progressDeadline', 'analysis']

/** When the run goes on by itself; undefined: it waits for a person, or not at all. */
function pauseEnd(experiment: ExperimentDeployment): string | undefined {
  const { strategy: stored } = experiment.status ?? {}
  const spec = strategyRunSpec(experiment.spec)
  if (!stored || !spec || stored.held || !isObserved(experiment)) return undefined
  const step = compileSteps(spec, stored.path)[stored.stepIndex]
  return step?.is === 'pause' && step.seconds !== undefined ? timeAfter(timeIn(stored.since), step.seconds) : undefined
}

/** As Kubernetes has it, for no deadline. */
const NO_DEADLINE = 2_147_483_647

/** When a fork that still gets its pods has taken too long. Its controller ends the rollout with another reason. */
function progressDeadline(fork: KubeObject): string | undefined {
  const seconds = countAt(fork, 'spec', 'progressDeadlineSeconds') ?? NO_DEADLINE
  const progressing = itemsAt(fork, MAX_CONDITIONS, 'status', 'conditions').find(
    (each) => at(each, 'type') === 'Progressing' && at(each, 'status') === 'True',
  )
  const isComplete = textAt(progressing, 'reason') === 'NewReplicaSetAvailable'
  const isReady = (countAt(fork, 'status', 'readyReplicas') ?? 0) >= (countAt(fork, 'spec', 'replicas') ?? 1)
  if (seconds >= NO_DEADLINE || isComplete || isReady) return undefined
  return timeAfter(timeAt(progressing, 'lastUpdateTime'), seconds)
}

const MAX_CONDITIONS = 100

/** When the time of an analysis is over that has no verdict yet. */
function analysisEnd({ spec }: ExperimentDeployment, { status }: AnalysisRun): string | undefined {
  const { maxSeconds } = spec.analysis ?? {}
  if (maxSeconds === undefined || status?.verdict !== 'Wait') return undefined
  return timeAfter(timeIn(status.startedAt), maxSeconds)
}
