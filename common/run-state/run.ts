import { roundedDown } from '../api/amount.ts'
import { allowedReplicas } from '../api/defaults.ts'
import { untilExpiryMs } from '../api/expiry.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { PromotionStatus, RunPath } from '../api/strategy.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { podsOf, type SpecFacts } from '../facts/facts.ts'
import type { JsonObject } from '../json/json.ts'
import { isAbortedUndo } from '../strategy/command.ts'
import { compileSteps, type RunStep } from '../strategy/compile.ts'
import { demands, type PodDemand } from '../strategy/forecast.ts'
import { openPods } from '../strategy/gate.ts'
import { isSameRun, phaseOf, presentRun, type Run, withKeptApproval } from '../strategy/run.ts'
import { type StrategyRunSpec, strategyRunSpec } from '../strategy/run-spec.ts'
import { type PodTarget, podTargetAt, reservedPods, type Sizes, sizingStep } from '../strategy/target.ts'
import { replicasOf } from '../workload/status.ts'
import { openNow } from './obstacles.ts'
import { hasRequests, pinningAt, pinState } from './pins.ts'
import { previewSize } from './preview.ts'
import { isTakenBack, isUntouched, promotionInto } from './promotion.ts'
import { keptRevisions, lacksHashes, revisionsOf, runHashes, withHashesOf } from './run-hash.ts'
import { undoOf } from './undo.ts'
import { hasUngatedPods } from './ungated.ts'

/** A run at its present step. */
export interface RunState {
  readonly spec: StrategyRunSpec
  readonly run: Run
  /** all steps on the path of the run */
  readonly steps: readonly RunStep[]
  /** undefined while the size of the source is not known: then the fork keeps its pods */
  readonly target: PodTarget | undefined
}

/** How many pods the fork should have now: as its run says, or else `spec.replicas` as far as it was reviewed. */
export function wantedReplicas(facts: SpecFacts): number {
  const { experiment, fork } = facts
  const state = runState(facts, undefined)
  if (!state) return allowedReplicas(experiment)
  const kept = state.run.path === 'Undo' ? 0 : allowedReplicas(experiment)
  return state.target?.pods ?? (fork.is === 'known' ? replicasOf(fork.value) : kept)
}

/** How many of the wanted pods should get requests. */
export const servingReplicas = (facts: SpecFacts): number =>
  runState(facts, undefined)?.target?.open ?? wantedReplicas(facts)

/**
 * The run of an experiment whose wanted fork is `fork`; undefined without strategy and promotion. While it is not known
 * which fork is wanted, the run keeps its revision.
 */
export function runState(facts: SpecFacts, fork: KubeObject | undefined): RunState | undefined {
  const { experiment, now } = facts
  const { status } = experiment
  const spec = strategyRunSpec(experiment.spec)
  if (!spec) return undefined
  const stored = status?.strategy
  const hashes = runHashes(experiment)
  const revisions = fork ? revisionsOf(fork, hashes, stored) : keptRevisions(stored)
  const stepsOf = (path: RunPath) => compileSteps(spec, path)
  const present = presentRun(stored, { ...hashes, ...revisions }, stepsOf, now)
  const steps = stepsOf(present.path)
  const run = withKeptApproval(present, stored, { steps, approved: spec.approvedRevision })
  const sizes = sizesOf(facts, spec, { fork })
  // A way back needs no source.
  if (steps[run.stepIndex]?.is === 'restore')
    return withOpenPods(facts, { spec, run, steps, target: restoringTarget(facts, spec) }, fork)
  if (isQuarantined(run, steps) || isReturning(run, steps))
    return withOpenPods(facts, { spec, run, steps, target: quarantineTarget(facts) }, fork)
  const isKnown = sizes !== undefined || run.path !== 'Forward'
  const target = isKnown ? podTargetAt(steps, run.stepIndex, sizes ?? NO_SIZES) : undefined
  return withOpenPods(facts, { spec, run, steps, target }, fork)
}

/** Whether the pods of an aborted fork are kept for inspection, without requests. */
const isQuarantined = ({ path, stepIndex }: Run, steps: readonly RunStep[]): boolean =>
  path === 'Abort' && stepIndex < steps.length && sizingStep(steps, stepIndex) === undefined

/** Whether the run is on its way back and its Services still have to be returned. */
const isReturning = ({ path, stepIndex }: Run, steps: readonly RunStep[]): boolean =>
  path !== 'Forward' && steps[stepIndex]?.is === 'return'

/**
 * `state` with the pods that may have requests now. While requests of the active Service may reach the fork of a
 * blue-green, it keeps its pods, and open pods stay open, even if the step wants fewer. A fork that gets all requests
 * is not scaled to 0 with its source.
 */
function withOpenPods(facts: SpecFacts, state: RunState, fork: KubeObject | undefined): RunState {
  const { spec, run, steps, target } = state
  const pods = podsOf(facts)
  if (!target || !pods || !spec.blueGreen) return state
  const of = { run, steps, fork, target, mayHaveWritten: mayHaveWritten(facts, run) }
  const open = openNow(facts, pinState(facts, spec), of)
  const isWanted = pinningAt(run, steps).active === 'pinned' && open > 0
  if (isWanted || !hasRequests(facts, spec)) return { ...state, target: { ...target, open } }
  const present = facts.fork.is === 'known' ? replicasOf(facts.fork.value) : 0
  return { ...state, target: { ...target, pods: Math.max(target.pods, present), open: Math.max(open, openPods(pods)) } }
}

/** Whether the active Service sends only to the fork. Then the template of the fork must not change. */
export function isPinnedToFork(facts: SpecFacts): boolean {
  const spec = strategyRunSpec(facts.experiment.spec)
  return spec !== undefined && pinState(facts, spec)?.active.isOurs === true
}

/** Whether the stored run keeps the pods of an aborted fork for inspection. */
export function isInQuarantine(facts: SpecFacts): boolean {
  const state = storedRun(facts)
  return state !== undefined && isQuarantined(state.run, state.steps)
}

/** The fork stays as it is, with all pods shut. One with pods that cannot be shut has none. */
function quarantineTarget(facts: SpecFacts): PodTarget | undefined {
  const { fork } = facts
  if (fork.is === 'unknown') return undefined
  return { pods: fork.is === 'known' && !hasUngatedPods(facts) ? replicasOf(fork.value) : 0, open: 0 }
}

/**
 * While its source is restored, the fork keeps its pods. It has at least as many as replace those that the rollout of
 * the source takes down at once, as far as `maxSurge` allows. At least that many of them get requests. It gets none for
 * an undo that writes nothing.
 */
function restoringTarget(facts: SpecFacts, spec: StrategyRunSpec): PodTarget | undefined {
  const { fork, experiment } = facts
  const undo = undoOf(facts)
  const sizes = sizesOf(facts, spec, { next: () => (undo?.is === 'possible' ? undo.after : undefined) })
  if (!sizes || fork.is === 'unknown') return undefined
  const isIdle = undo && (undo.is === 'impossible' || undo.isDone) && !experiment.status?.promotion?.restored
  const reserve = isIdle ? 0 : reservedPods(sizes)
  const pods = Math.max(reserve, fork.is === 'known' ? replicasOf(fork.value) : 0)
  if (!spec.isGated) return { pods, open: pods }
  const present = podsOf(facts)
  return present && { pods, open: Math.max(reserve, openPods(present)) }
}

const NO_SIZES: Sizes = { source: 0, preview: 0, replicas: 0, maxSurge: 0, reserve: 0, isGated: false }

interface SizedFor {
  /** the wanted fork; default: the present one */
  readonly fork?: KubeObject | undefined
  /** what the `spec` of the source becomes; default: by a promotion */
  readonly next?: NextSpec
}

/**
 * The sizes on which the pods of a run depend; undefined while there is no source. `next` may change the strategy of
 * the source, for example to Recreate, so the former and the new strategy count.
 */
export function sizesOf(
  facts: SpecFacts,
  spec: StrategyRunSpec,
  { fork, next = promotedSpec(facts) }: SizedFor = {},
): Sizes | undefined {
  const { experiment, kind } = facts
  const [object, adapter] = [knownValue(facts.source)?.object, knownValue(kind)]
  if (!object || !adapter || object.metadata.deletionTimestamp) return undefined
  const pods = replicasOf(object)
  const takenDown = Math.max(...sourceForms(object, next).map(adapter.takesDown))
  const reserve = Math.max(0, takenDown - (roundedDown(spec.maxUnavailable, pods) ?? 0))
  const { maxSurge, isGated } = spec
  const preview = previewSize(facts, object, fork)
  return { source: pods, preview, replicas: allowedReplicas(experiment), maxSurge, reserve, isGated }
}

/** The run that the status stores, whatever its fork is; undefined while it stores none. */
export const storedRun = (facts: SpecFacts): RunState | undefined =>
  facts.experiment.status?.strategy ? runState(facts, undefined) : undefined

/** What the source is, and what it becomes. */
export function sourceForms(source: KubeObject, next: NextSpec): readonly KubeObject[] {
  const after = next(source)
  return after ? [source, { ...source, spec: after }] : [source]
}

type NextSpec = (source: KubeObject) => JsonObject | undefined

/** What a promotion makes of the source, where that may change its rollout. */
export const promotedSpec =
  (facts: SpecFacts): NextSpec =>
  (source) => {
    const isTemplateOnly = Object.keys(facts.experiment.spec.overrideSpec).every((key) => key === 'template')
    return isTemplateOnly ? undefined : promotionInto(facts, source)?.after
  }

/**
 * `facts` as a pass leaves them that adds the whole hashes to a run of an earlier version. A review judges by these.
 */
export function withAddedHashes<T extends SpecFacts>(facts: T, fork: KubeObject | undefined): T {
  const { experiment } = facts
  const { strategy: stored } = experiment.status ?? {}
  const run = stored && runState(facts, fork)?.run
  if (!stored || !run || !isSameRun(stored, run) || !lacksHashes(stored, run)) return facts
  const status = { ...experiment.status, strategy: withHashesOf(stored, run) }
  return { ...facts, experiment: { ...experiment, status } }
}

/** What the status says of the promotion of `run`; undefined if it is about another run. */
export const promotionIn = ({ status }: ExperimentDeployment, run: Run): PromotionStatus | undefined =>
  isSameRun(status?.strategy, run) ? status?.promotion : undefined

/**
 * Whether the source may have the change: `run` may have written it, or others have made the change there. False if
 * others have made and reverted it: then nothing of the promotion is in the source.
 */
export function mayHaveWritten(facts: SpecFacts, run: Run): boolean {
  const { record, written } = promotionIn(facts.experiment, run) ?? {}
  return (record !== undefined || written !== undefined) && !isTakenBack(facts)
}

/** Whether the run is an undo that was aborted, so that the source may have the change. */
export const wasUndoAborted = (facts: SpecFacts, run: Run): boolean =>
  isAbortedUndo(run, { promotion: promotionIn(facts.experiment, run), mayHaveWritten: mayHaveWritten(facts, run) })

/**
 * Whether the run has not ended, and the source may have its change. The fork must then stay until the rollout of the
 * source is over.
 */
export function isWriting(facts: SpecFacts): boolean {
  const state = storedRun(facts)
  if (!state || !mayHaveWritten(facts, state.run)) return false
  return state.run.stepIndex < state.steps.length && state.run.path !== 'Abort'
}

/**
 * Whether the experiment has expired. While the source may have the change, it has not: its promotion, or the undo, is
 * brought to its end first.
 */
export const hasExpired = (facts: SpecFacts): boolean =>
  untilExpiryMs(facts.experiment, facts.now) <= 0 && (!isWriting(facts) || isUntouched(facts))

/** Whether the run has promoted, and its fork is not deleted yet. */
export const hasPromoted = ({ run: { path, stepIndex }, steps }: RunState): boolean =>
  path === 'Forward' && (steps[stepIndex]?.is === 'return' || steps[stepIndex]?.is === 'drain')

/** Whether the run has ended because the source has its change. */
export function isPromoted(facts: SpecFacts): boolean {
  const state = storedRun(facts)
  return state !== undefined && phaseOf(state.run, state.steps) === 'Promoted'
}

/** The pods at each step of its run; undefined without a run, none while the size of the source is not known. */
export function demandsOf(facts: SpecFacts): readonly PodDemand[] | undefined {
  const spec = strategyRunSpec(facts.experiment.spec)
  if (!spec) return undefined
  const sizes = sizesOf(facts, spec)
  return sizes ? demands(compileSteps(spec, 'Forward'), sizes) : []
}
