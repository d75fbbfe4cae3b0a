import { roundedDown } from '../api/amount.ts'
import { allowedReplicas } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { podsOf, type SpecFacts } from '../facts/facts.ts'
import { type JsonObject, objectOr } from '../json/json.ts'
import { sizeOf } from '../scaling/size.ts'
import { boundsOf, type OwnRollout } from '../scaling/sizes.ts'
import { again, isAbortedUndo } from '../strategy/command.ts'
import type { RunStep } from '../strategy/compile.ts'
import { demands, type PodDemand } from '../strategy/forecast.ts'
import { openPods } from '../strategy/gate.ts'
import { isSameRevision, isSameRun, phaseOf, presentRun, type Run, withKeptApproval } from '../strategy/run.ts'
import type { StrategyRunSpec } from '../strategy/run-spec.ts'
import { type PodTarget, podTargetAt, reservedPods, type Sizes, sizingStep } from '../strategy/target.ts'
import { countingAutoscaler } from '../surroundings/counting.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { replicasOf } from '../workload/status.ts'
import { openNow } from './obstacles.ts'
import { hasRequests, pinningAt } from './pins.ts'
import { isTakenBack, promotionInto } from './promotion.ts'
import { keptRevisions, revisionsOf } from './run-hash.ts'
import { wantedSize } from './scaling.ts'
import type { RunState, SpecSituation } from './situation.ts'
import { withSizing } from './sizing.ts'
import { hasUngatedPods } from './ungated.ts'

/** How many pods the fork should have now: as its run says, or else `spec.replicas` as far as it was reviewed. */
export function wantedReplicas({ facts, run: state }: SpecSituation): number {
  const { experiment, fork } = facts
  if (!state) return allowedReplicas(experiment)
  const kept = state.run.path === 'Undo' ? 0 : allowedReplicas(experiment)
  return state.target?.pods ?? (fork.is === 'known' ? replicasOf(fork.value) : kept)
}

/**
 * The run of an experiment whose wanted fork is `fork`; undefined without strategy and promotion. While it is not known
 * which fork is wanted, the run keeps its revision.
 */
export function runState(situation: SpecSituation, fork: KubeObject | undefined): RunState | undefined {
  const { facts, strategy: spec, stepsOf } = situation
  if (!spec) return undefined
  const stored = facts.experiment.status?.strategy
  const hashes = situation.runHashes
  const revisions = fork ? revisionsOf(fork, hashes, stored) : keptRevisions(stored)
  const present = presentRun(stored, { ...hashes, ...revisions }, stepsOf, facts.now)
  const steps = stepsOf(present.path)
  const isAgain = mustBeginAgain(situation, present)
  const kept = withKeptApproval(present, stored, { steps, approved: spec.approvedRevision })
  const run = isAgain ? again(kept, facts.now) : kept
  const target = targetOf(situation, { spec, run, steps }, fork)
  const opened = withOpenPods(situation, { spec, run, steps, target }, fork)
  const isWritten = mayHaveWritten(situation, run)
  return withSizing(situation, opened, { isAgain: isAgain || !isSameRun(stored, run), isWritten })
}

/** How many pods the fork should have at its step, and how many of them get requests; undefined if it is not known. */
function targetOf(
  situation: SpecSituation,
  { spec, run, steps }: Omit<RunState, 'target'>,
  fork: KubeObject | undefined,
): PodTarget | undefined {
  const { facts } = situation
  // A way back needs no source.
  if (steps[run.stepIndex]?.is === 'restore') return restoringTarget(situation, spec)
  if (isQuarantined(run, steps) || isReturning(run, steps)) return quarantineTarget(facts)
  const sizes = sizesOf(facts, spec, { fork })
  const isKnown = sizes !== undefined || run.path !== 'Forward'
  return isKnown ? podTargetAt(steps, run.stepIndex, sizes ?? NO_SIZES) : undefined
}

/**
 * Whether the run begins again, because its fork should have another template while the source is smaller: then the
 * fork is production, and its template does not change.
 */
function mustBeginAgain(situation: SpecSituation, present: Run): boolean {
  const stored = situation.facts.experiment.status?.strategy
  if (!situation.scaling?.isServing || present.path !== 'Forward' || !stored) return false
  return isSameRun(stored, present) && !isSameRevision(stored, present) && !mayHaveWritten(situation, present)
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
function withOpenPods(situation: SpecSituation, state: RunState, fork: KubeObject | undefined): RunState {
  const { facts, pins } = situation
  const { spec, run, steps, target } = state
  const pods = podsOf(facts)
  if (!target || !pods || !spec.blueGreen) return state
  const of = { run, steps, fork, target, mayHaveWritten: mayHaveWritten(situation, run) }
  const open = openNow(facts, pins, of)
  const isWanted = pinningAt(run, steps).active === 'pinned' && open > 0
  if (isWanted || !hasRequests(situation)) return { ...state, target: { ...target, open } }
  const present = facts.fork.is === 'known' ? replicasOf(facts.fork.value) : 0
  return { ...state, target: { ...target, pods: Math.max(target.pods, present), open: Math.max(open, openPods(pods)) } }
}

/** Whether the active Service sends only to the fork. Then the template of the fork must not change. */
export const isPinnedToFork = ({ pins }: SpecSituation): boolean => pins?.active.isOurs === true

/** Whether the stored run keeps the pods of an aborted fork for inspection. */
export const isInQuarantine = ({ storedRun }: SpecSituation): boolean =>
  storedRun !== undefined && isQuarantined(storedRun.run, storedRun.steps)

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
function restoringTarget({ facts, undo, scaling }: SpecSituation, spec: StrategyRunSpec): PodTarget | undefined {
  const { fork, experiment } = facts
  const sizes = sizesOf(facts, spec, { next: () => (undo?.is === 'possible' ? undo.after : undefined) })
  if (!sizes || fork.is === 'unknown') return undefined
  const isIdle = undo && (undo.is === 'impossible' || undo.isDone) && !experiment.status?.promotion?.restored
  const reserve = isIdle || scaling?.isServing ? 0 : reservedPods(sizes)
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
  const pods = wantedSize(facts) ?? sizeOf(object).wanted
  const forms = sourceForms(object, next)
  const takenDown = Math.max(...forms.map(adapter.takesDown))
  const { maxSurge, maxUnavailable, isGated, isInsideSource } = spec
  const reserve = Math.max(0, takenDown - (roundedDown(maxUnavailable, pods) ?? 0))
  const preview = previewSize(facts, object, fork)
  const inside = isInsideSource ? { inside: { bounds: boundsOf(pods, spec), rollout: ownRollout(adapter, forms) } } : {}
  return { source: pods, preview, replicas: allowedReplicas(experiment), maxSurge, reserve, isGated, ...inside }
}

/** What the own rollout of a source does that is, or becomes, one of `forms`, when it has one pod. */
function ownRollout({ takesDown, surge }: WorkloadKind, forms: readonly KubeObject[]): OwnRollout {
  const single = forms.map((form) => ({ ...form, spec: { ...objectOr(form.spec), replicas: 1 } }))
  return { takesDown: single.some((form) => takesDown(form) > 0), surge: Math.max(...single.map(surge)) }
}

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

/** What the status says of the promotion of `run`; undefined if it is about another run. */
export const promotionIn = ({ status }: ExperimentDeployment, run: Run): PromotionStatus | undefined =>
  isSameRun(status?.strategy, run) ? status?.promotion : undefined

/**
 * Whether the source may have the change: `run` may have written it, or others have made the change there. False if
 * others have made and reverted it: then nothing of the promotion is in the source.
 */
export function mayHaveWritten(situation: SpecSituation, run: Run): boolean {
  const { record, written } = promotionIn(situation.facts.experiment, run) ?? {}
  return (record !== undefined || written !== undefined) && !isTakenBack(situation)
}

/** Whether the run is an undo that was aborted, so that the source may have the change. */
export const wasUndoAborted = (of: SpecSituation, run: Run): boolean =>
  isAbortedUndo(run, { promotion: promotionIn(of.facts.experiment, run), mayHaveWritten: mayHaveWritten(of, run) })

/**
 * Whether the run has not ended, and the source may have its change. The fork must then stay until the rollout of the
 * source is over.
 */
export function isWriting(situation: SpecSituation): boolean {
  const { storedRun: state } = situation
  if (!state || !mayHaveWritten(situation, state.run)) return false
  return state.run.stepIndex < state.steps.length && state.run.path !== 'Abort'
}

const AFTER_PROMOTION: ReadonlySet<RunStep['is'] | undefined> = new Set(['refill', 'return', 'drain'])

/** Whether the run has promoted, and its fork is not deleted yet. */
export const hasPromoted = ({ run: { path, stepIndex }, steps }: RunState): boolean =>
  path === 'Forward' && AFTER_PROMOTION.has(steps[stepIndex]?.is)

/** Whether the run has ended because the source has its change. */
export const isPromoted = ({ storedRun: state }: SpecSituation): boolean =>
  state !== undefined && phaseOf(state.run, state.steps) === 'Promoted'

/** The pods at each step of its run; undefined without a run, none while the size of the source is not known. */
export function demandsOf({ facts, strategy, stepsOf }: SpecSituation): readonly PodDemand[] | undefined {
  if (!strategy) return undefined
  const sizes = sizesOf(facts, strategy)
  return sizes ? demands(stepsOf('Forward'), sizes) : []
}

/** A preview has one pod for this many of its source, while an autoscaler on CPU counts its shut pods. */
const PART = 10

/**
 * The pods of a preview for which a blue-green has no number: as many as `source` has. While an autoscaler on CPU
 * counts the pods of `fork`, which are shut, a tenth of them, rounded down, but at least one. The autoscaler takes shut
 * pods for idle ones, so many of them would keep it from scaling the source up. While the autoscalers are not known,
 * the present fork keeps its pods.
 */
export function previewSize(
  { fork: present, surroundings }: Pick<SpecFacts, 'fork' | 'surroundings'>,
  source: KubeObject,
  fork = knownValue(present),
): number {
  const all = sizeOf(source).wanted
  const few = Math.min(all, Math.max(1, Math.floor(all / PART)))
  const neighbours = knownValue(surroundings.neighbours)
  if (neighbours) {
    const autoscaler = fork && countingAutoscaler({ source, fork }, neighbours.autoscalers)
    return autoscaler?.isOnCpu ? few : all
  }
  const kept = present.is === 'known' ? replicasOf(present.value) : 0
  return Math.max(few, Math.min(all, kept))
}
