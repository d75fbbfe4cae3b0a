import { ownSizeEntry } from '../scaling/record.ts'
import type { SizePair } from '../scaling/sizes.ts'
import { lostForkReason, moveTo, sizesAfterMove } from './scaling.ts'
import type { RunState, Scaling, Sizing, SpecSituation } from './situation.ts'
import { isTakenByAutoscaler, mustReturn } from './size-obstacles.ts'

interface RunInside {
  /** whether it is another run than the stored one, or that one begins again */
  readonly isAgain: boolean
  /** whether the source may have the change */
  readonly isWritten: boolean
}

/**
 * `state` with the pods that the fork gets next on the way to its goal, as the bounds allow. While the source is
 * smaller, also a run of another strategy first gives the source its pods back.
 */
export function withSizing(situation: SpecSituation, state: RunState, of: RunInside): RunState {
  const { scaling } = situation
  const { target, spec } = state
  if (!scaling || !target || (!spec.isInsideSource && !scaling.isServing)) return state
  const isReturning = isOnItsWayBack(situation, state, of)
  const wanted = isReturning ? { fork: 0, source: scaling.size } : goalOf(situation, state, scaling, of)
  const goal = besideOthers(scaling, wanted)
  const { fork: pods } = sizesAfterMove(scaling, goal)
  const isBusy = scaling.onSource.is === 'foreign' && wanted.source < scaling.size
  const sizing = { goal, isReturning, isReached: !isBusy && isSized(scaling, goal), isBusy }
  return { ...state, target: { ...target, pods, open: pods, source: goal.source, goal }, sizing }
}

/** Whether the source gets all of its pods back before the run goes on. The status remembers that until it is done. */
function isOnItsWayBack(situation: SpecSituation, { run }: RunState, { isAgain, isWritten }: RunInside): boolean {
  const { scaling } = situation
  if (!scaling?.isServing || run.path !== 'Forward' || isWritten) return false
  if (isAgain || scaling.stored?.isReturning === true) return true
  return mustReturn(situation, scaling) || isTakenByAutoscaler(situation, scaling)
}

/**
 * The sizes that the present step wants. A source whose size somebody else has set keeps that until the run is resumed,
 * and the fork only gives up what is too much. Once the source is written, it gets no smaller: what it lacks because of
 * a fork that cannot serve, it gets back. While it gets its former values back, nothing else is scaled.
 */
function goalOf(
  { facts }: SpecSituation,
  { run, steps, target }: RunState,
  scaling: Scaling,
  { isWritten }: RunInside,
): SizePair {
  const { stored, sides, size, bounds, isServing } = scaling
  const fork = sides.fork.replicas
  if (run.path === 'Forward' && run.held && stored?.changedFrom !== undefined)
    return { fork: Math.max(0, Math.min(fork, bounds.most - size)), source: size }
  const wanted = { fork: target?.pods ?? fork, source: target?.source ?? size }
  const isRestoring = steps[run.stepIndex]?.is === 'restore' && isServing
  if (!isRestoring && !(isWritten && run.path === 'Forward')) return wanted
  if (lostForkReason(facts, scaling) !== undefined) return { fork: sides.fork.ready, source: size }
  if (isRestoring) return { fork, source: sides.source.replicas }
  const source = Math.max(wanted.source, sides.source.replicas)
  return { fork: Math.max(0, Math.min(wanted.fork, bounds.most - source)), source }
}

/**
 * `goal`, where another experiment makes the source smaller: the source keeps its number, and the fork gets no pods for
 * those that the source lacks.
 */
export function besideOthers({ onSource, sides, size }: Scaling, goal: SizePair): SizePair {
  if (onSource.is !== 'foreign') return goal
  const { fork, source } = sides
  return { fork: goal.source < size ? Math.min(goal.fork, fork.replicas) : goal.fork, source: source.replicas }
}

/** Whether both have the sizes of `goal`, and a source that has its own size has nothing of us left. */
export const isSized = (scaling: Scaling, goal: Sizing['goal']): boolean =>
  moveTo(scaling, goal).is === 'reached' && (goal.source < scaling.size || isReleased(scaling))

/** Whether neither our label nor our entry of the managed fields is left on the source. */
export const isReleased = ({ source, isServing, onSource }: Scaling): boolean =>
  !isServing && (onSource.is === 'foreign' || ownSizeEntry(source) < 0)
