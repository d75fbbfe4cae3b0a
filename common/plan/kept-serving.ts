import { knownValue } from '../api/known.ts'
import { FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { at, listOr } from '../json/json.ts'
import type { Conclusion, Plan } from '../outcome/conclusion.ts'
import { withDecision } from '../outcome/part.ts'
import { contentDeniedBy } from '../outcome/policy-decision.ts'
import { scaleTo } from '../run/leaving.ts'
import { type SourceStep, sourceStep } from '../run/source-step.ts'
import type { SizePair } from '../scaling/sizes.ts'
import { moveTo, sizesAfterMove } from '../situation/scaling.ts'
import type { Scaling, Situation } from '../situation/situation.ts'
import { shrinkObstacle, withoutComponent } from '../situation/size-obstacles.ts'
import { besideOthers, isSized } from '../situation/sizing.ts'
import { count } from '../text/count.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { progressDeadlineMs, replicasOf } from '../workload/status.ts'
import type { Write } from '../writes/write.ts'

/** Both sides are looked at again after this time, because no event tells of pods of the source. */
const RECHECK_MS = 2_000

/** While a source is smaller, its autoscalers are looked at again after this time, because no event tells of them. */
const NEIGHBOURS_MS = 60_000

/**
 * `plan` with the next move of the sizes of a fork and its source. While the source is smaller, its fork is production:
 * this is in front of all writes of the fork, whatever causes them. Its template does not change, it is not deleted,
 * and each of its pods leaves only after a pod of the source has taken its place. An experiment stays until its source
 * has its pods.
 */
export function keptServing(situation: Situation, plan: Plan): Plan {
  const { scaling } = situation
  const { run } = plan.conclusion
  if (run?.addsHashes) return plan
  if (!scaling) return withoutSource(situation, plan)
  if (run?.moved) return withStep(plan, plan.writes, sourceStep(situation, scaling, { ...NOTHING, run }))
  const goal = besideOthers(scaling, goalOf(situation, scaling, plan))
  const move = moveTo(scaling, goal)
  const to = move.is === 'resize' && move.side === 'source' ? move.to : undefined
  const obstacle = obstacleOf(situation, scaling, plan.conclusion, goal)
  const isDone = move.is === 'reached' && goal.source === scaling.size
  const step = sourceStep(situation, scaling, { to: obstacle ? undefined : to, isDone, run })
  const decision =
    obstacle ?? step.decision ?? (isSized(scaling, goal) ? undefined : progress(situation, scaling, goal))
  if (!scaling.isServing) return withStep(plan, plan.writes, decision ? { ...step, decision } : step)
  const writes = guarded(situation, scaling, { goal, writes: plan.writes })
  const kept = withStep(plan, writes, decision ? { ...step, decision } : step)
  const recheckMs = Math.min(NEIGHBOURS_MS, kept.conclusion.recheckMs ?? NEIGHBOURS_MS)
  return { ...kept, conclusion: { ...kept.conclusion, recheckMs } }
}

const NOTHING = { to: undefined, isDone: false } as const

/** `plan` with these writes of the fork, then those of the source. A decision that needs a person is not replaced. */
function withStep(plan: Plan, writes: readonly Write[], { scaled, decision, ...of }: SourceStep): Plan {
  const { conclusion } = plan
  const isReplaced = conclusion.is === 'settled' || conclusion.is === 'waiting' || decision?.is === 'stalled'
  const recheck = decision ? { recheckMs: decision.is === 'waiting' ? decision.retryAfterMs : NEIGHBOURS_MS } : {}
  const told = decision && isReplaced ? withDecision(conclusion, decision) : conclusion
  return {
    ...plan,
    writes: [...writes, ...of.writes],
    conclusion: { ...told, ...(scaled ? { scaled } : {}), ...recheck },
  }
}

/**
 * Without its source, `plan` remembers the size that this had: a source of the same name has a size of its own. A
 * source that cannot be read may be smaller, so the fork gives up no pod.
 */
function withoutSource({ facts }: Situation, plan: Plan): Plan {
  const { scaled } = facts.experiment.status?.strategy ?? {}
  if (!scaled || !facts.scaling) return plan
  if (facts.scaling.source.is !== 'unknown') return { ...plan, conclusion: { ...plan.conclusion, scaled } }
  const { because } = facts.scaling.source
  const fork = knownValue(facts.fork)
  const isLeft = (write: Write) => !isOfFork(write) && !isRemoval(write)
  const decision = waiting('SourceNotSettled', `the source could not be read now (${because}); the fork stays`)
  const conclusion = { ...withDecision(plan.conclusion, decision), fork, scaled }
  return { ...plan, writes: plan.writes.filter(isLeft), conclusion }
}

/**
 * The sizes to which the fork and its source go: those of the run, or the way back where the fork must have fewer pods
 * than the run wants, because it leaves or because something forbids its pods.
 */
function goalOf(
  { stage, strategy }: Situation,
  { size, bounds, sides }: Scaling,
  { writes, conclusion }: Plan,
): SizePair {
  const isEnding = stage === 'deleting' || stage === 'expired' || stage === 'promoted'
  if (isEnding) return { fork: 0, source: size }
  const asked = replicasAsked(writes)
  const { sizing, target } = conclusion.run ?? {}
  const isLess = asked !== undefined && asked < (target?.pods ?? sides.fork.replicas)
  if (sizing && !isLess) return sizing.goal
  const fork = asked ?? sides.fork.replicas
  return { fork: strategy ? fork : Math.max(0, Math.min(fork, bounds.most - size)), source: size }
}

const isOfFork = ({ role }: Write): boolean => role === 'fork'

/** The pods that the writes of the fork ask for; undefined if they ask for none. */
function replicasAsked(writes: readonly Write[]): number | undefined {
  const asked = writes.filter(isOfFork).flatMap((write): readonly number[] => {
    if (write.verb === 'delete') return [0]
    if (write.verb === 'apply') return [replicasOf(write.object)]
    const replicas = write.verb === 'patch' ? at(write.patch, 'spec', 'replicas') : undefined
    return typeof replicas === 'number' ? [replicas] : []
  })
  return asked.length === 0 ? undefined : Math.min(...asked)
}

interface Guarded {
  readonly goal: SizePair
  readonly writes: readonly Write[]
}

/**
 * The writes of a fork that is production: its size is that of the move, and its template stays. Our finalizer stays on
 * the experiment.
 */
function guarded({ facts }: Situation, scaling: Scaling, { goal, writes }: Guarded): readonly Write[] {
  const [fork, kind] = [knownValue(facts.fork), knownValue(facts.kind)]
  const others = writes.filter((write) => !isRemoval(write))
  if (!fork || !kind) return others
  const { fork: replicas } = sizesAfterMove(scaling, goal)
  const isSmaller = replicas < replicasOf(fork)
  const sized = others.flatMap((write) => sizedWrite(write, { fork, kind, replicas }))
  const isSized = sized.some((write) => isOfFork(write) && replicasAsked([write]) !== undefined)
  // whatever holds the fork up, pods that are not needed any more go
  return isSmaller && !isSized ? [...sized, scaleTo(kind, fork, replicas, { isRepair: false })] : sized
}

interface SizedFork {
  readonly fork: KubeObject
  readonly kind: WorkloadKind
  readonly replicas: number
}

/** A write of the fork with another size, or only the size of a write that does more than it may. */
function sizedWrite(write: Write, { fork, kind, replicas }: SizedFork): readonly Write[] {
  if (!isOfFork(write) || replicasAsked([write]) === undefined) return [write]
  if (write.verb === 'apply' && write.role === 'fork' && write.isSameDerivation)
    return [{ ...write, object: { ...write.object, spec: { ...(write.object.spec as object), replicas } } }]
  return replicas === replicasOf(fork) ? [] : [scaleTo(kind, fork, replicas, { isRepair: false })]
}

/** Whether a write takes our finalizer from the experiment. */
const isRemoval = (write: Write): boolean =>
  write.role === 'experiment' &&
  write.verb === 'patch' &&
  !listOr(at(write.patch, 'metadata', 'finalizers')).includes(FORK_FINALIZER)

/** Why the source may not get another size now. Only a smaller size needs more than our own label there. */
function obstacleOf(
  situation: Situation,
  scaling: Scaling,
  { policy, run }: Conclusion,
  goal: SizePair,
): Decision | undefined {
  const { sides, onSource, isServing } = scaling
  const now = sides.source.replicas
  if (isServing && !situation.installed.promotion) return withoutComponent(scaling)
  if (onSource.is === 'changed') return undefined
  if (!run || (goal.source >= now && !run.sizing?.isBusy)) return undefined
  return (
    (policy?.is === 'notRead' ? waiting('PolicyNotRead', 'the policies could not be read') : contentDeniedBy(policy)) ??
    shrinkObstacle(situation, scaling)
  )
}

/** What is told while the sizes are on their way. Where the source gets no pods for too long, a person must act. */
function progress({ facts }: Situation, scaling: Scaling, goal: SizePair): Decision {
  const { source, sides } = scaling
  const isBack = goal.source > sides.source.available
  const pods = `${sides.source.available} of ${count(goal.source, 'pod')} available, ${sides.fork.available} of ${goal.fork} of the fork`
  const message = `${shortNameOf(source)}: ${pods}`
  return isBack && (facts.scaling?.sizedMs ?? 0) >= progressDeadlineMs(scaling.source)
    ? stalled('ProgressDeadlineExceeded', `${message}; the source gets no more pods, and the rest of the fork stays`)
    : waiting('Updating', message, RECHECK_MS)
}
