import { knownValue } from '../api/known.ts'
import { DERIVED_HASH, GATED_DEPLOY_STATUS, WHOLE_DERIVED_HASH } from '../api/names.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import type { ExperimentDeployment, ExperimentResourceRef } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Facts, isAsWritten, lastWriteOf, type WrittenGeneration } from '../facts/facts.ts'
import { shortForkHash } from '../fork/derive.ts'
import { lastPassOf } from '../situation/last-pass.ts'
import { nameOfStep } from '../strategy/compile.ts'
import { sizingStep } from '../strategy/target.ts'
import { count } from '../text/count.ts'
import { isApplied, isBeforeFirstApply, isOwnedAsApplied, lastAppliedMs } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'
import type { PodsForbidden } from './pods-forbidden.ts'

/**
 * Whether the fork changed since the last apply, or differs from the wanted one. Specs are never compared field by
 * field: the API server sets defaults and rewrites quantities, so such a comparison would cause an apply in every pass.
 */
export const hasDrifted = (facts: Facts, fork: KubeObject, wanted: DesiredFork): boolean =>
  isChanged(fork, { experiment: facts.experiment, wanted, left: lastWriteOf(fork, facts) })

interface DriftInput {
  readonly experiment: ExperimentDeployment
  readonly wanted: Pick<DesiredFork, 'fork' | 'hash'>
  /** as the last apply left it; undefined: it is not known */
  readonly left: WrittenGeneration | undefined
}

/** As `hasDrifted`, for a fork or a twin whose last applied state is `left`. */
export function isChanged(fork: KubeObject, { experiment, wanted, left }: DriftInput): boolean {
  return !(
    isAsWritten(fork, left) &&
    isSameDerivation(fork, wanted, experiment) &&
    replicasOf(fork) === replicasOf(wanted.fork) &&
    includes(fork.metadata.annotations, wanted.fork.metadata.annotations) &&
    includes(fork.metadata.labels, wanted.fork.metadata.labels) &&
    isOwnedAsApplied(experiment, fork) &&
    isApplied(fork) &&
    !fork.metadata.managedFields?.some(isBeforeFirstApply)
  )
}

const includes = (present: Labels | undefined, expected: Labels = {}): boolean =>
  Object.entries(expected).every(([key, value]) => present?.[key] === value)

/**
 * Whether `fork` was derived as `wanted` is, with any number of pods. A fork that no write has given the whole hash yet
 * is known by the short one. Any client can remove the whole one, so the status tells whether it had it.
 */
export function isSameDerivation(
  { metadata: { uid, annotations = {} } }: KubeObject,
  wanted: Pick<DesiredFork, 'hash'>,
  { status }: Pick<ExperimentDeployment, 'status'>,
): boolean {
  const hash = wanted.hash()
  const whole = annotations[WHOLE_DERIVED_HASH]
  const ref = status?.experimentResourceRef
  const hadWhole = ref?.uid === uid && ref?.wholeHash !== undefined
  return annotations[DERIVED_HASH] === shortForkHash(hash) && (whole === undefined ? !hadWhole : whole === hash)
}

/** The whole hash of `fork`, for the status, which also has it where another client has removed it since. */
export function wholeHashOf(
  { metadata: { uid, annotations = {} } }: KubeObject,
  stored: ExperimentResourceRef | undefined,
): Pick<ExperimentResourceRef, 'wholeHash'> {
  const kept = stored?.uid === uid ? stored?.wholeHash : undefined
  const { [WHOLE_DERIVED_HASH]: wholeHash = kept } = annotations
  return wholeHash === undefined ? {} : { wholeHash }
}

/** Whether `wanted` is the same derivation as `fork`, with fewer replicas. */
export const isSmaller = ({ experiment }: Facts, fork: KubeObject, wanted: DesiredFork): boolean =>
  isSameDerivation(fork, wanted, experiment) && replicasOf(wanted.fork) < replicasOf(fork)

/** Why a fork is written. */
export type Occasion =
  | { readonly is: 'created' }
  | { readonly is: 'createdAgain' }
  /** another endpoint of its Service is ready */
  | { readonly is: 'released' }
  /** the same, but another client took its pods */
  | { readonly is: 'refilled' }
  | { readonly is: 'rolledBack' }
  | { readonly is: 'askedAgain' }
  | { readonly is: 'verdict' }
  | { readonly is: 'step'; readonly step: string; readonly replicas: number }
  | { readonly is: 'repaired' }
  | { readonly is: 'notInStatus' }
  | { readonly is: 'sourceChanged'; readonly generation: number | undefined }
  | { readonly is: 'modified' }
  | { readonly is: 'specChanged' }

interface Words {
  readonly text: string
  /** whether the write undoes the change of another client */
  readonly isRepair?: true
}

const HAS_PODS_AGAIN = 'has its pods again: another endpoint of its Service is ready'

const WORDS: Readonly<Record<Exclude<Occasion['is'], 'step' | 'sourceChanged'>, Words>> = {
  created: { text: 'created' },
  createdAgain: { text: 'created again: it had been deleted', isRepair: true },
  released: { text: HAS_PODS_AGAIN },
  refilled: { text: HAS_PODS_AGAIN, isRepair: true },
  rolledBack: { text: 'rolled back because of the verdict of its analysis' },
  askedAgain: { text: 'has its pods again: its analysis asks another question' },
  verdict: { text: 'its annotation now has the verdict of the analysis' },
  repaired: { text: 'restored: another client had modified it', isRepair: true },
  notInStatus: { text: 'applied again: it is not in the status yet' },
  modified: {
    text: 'applied again: another client modified it, or this version derives it differently',
    isRepair: true,
  },
  specChanged: { text: 'updated to the spec of the experiment' },
}

/** What people are told of an occasion. */
export function wordsOf(occasion: Occasion): Words {
  switch (occasion.is) {
    case 'step':
      return { text: `${occasion.step}: ${count(occasion.replicas, 'pod')}` }
    case 'sourceChanged':
      return { text: `follows generation ${occasion.generation} of its source` }
    default:
      return WORDS[occasion.is]
  }
}

interface OccasionInput {
  readonly wanted: DesiredFork
  /** why the fork must have no pods, if it must */
  readonly podsForbidden?: PodsForbidden | undefined
  /** whether its analysis asks another question than at the last pass, for example about a new source; absent: no */
  readonly isNewQuestion?: boolean
}

/** Why the fork is written now, if it is. */
export function occasionOf(facts: Facts, of: OccasionInput): Occasion {
  const fork = knownValue(facts.fork)
  return fork ? occasionToApply(facts, fork, of) : occasionToCreate(facts, of.wanted)
}

/** The stored status has a fork only if there was one when the experiment last had a pass. */
const occasionToCreate = ({ experiment }: Facts, { fork }: DesiredFork): Occasion => ({
  is: experiment.status?.experimentResourceRef?.name === fork.metadata.name ? 'createdAgain' : 'created',
})

/** Whether the last pass left `fork` without pods, because it would have been alone behind a Service. */
const hadNoPodsBecauseAlone = ({ status }: ExperimentDeployment, fork: KubeObject): boolean =>
  status?.aloneSince !== undefined && (replicasOf(fork) === 0 || lastPassOf(status).emptied === 'aloneBehindService')

function occasionToApply(facts: Facts, fork: KubeObject, of: OccasionInput): Occasion {
  const { podsForbidden, isNewQuestion = false, wanted } = of
  const { experiment } = facts
  const { status, metadata } = experiment
  const [isAlone, isRolledBack] = [
    podsForbidden?.because === 'aloneBehindService',
    podsForbidden?.because === 'rolledBack',
  ]
  const last = lastPassOf(status)
  const isSame = isSameDerivation(fork, wanted, experiment)
  const isOtherCount = replicasOf(fork) !== replicasOf(wanted.fork)
  // If the status does not know this fork, then the pass that created it could not write the status. That is no sign
  // of a change by another client.
  const isKnown = status?.experimentResourceRef?.uid === fork.metadata.uid
  const isSameSpec = status?.observedGeneration === metadata.generation
  if (isOtherCount && hadNoPodsBecauseAlone(experiment, fork) !== isAlone) {
    // Unless the last pass removed the pods, another client did.
    const isReleased = isAlone || !last.isReported || last.emptied === 'aloneBehindService'
    return { is: isKnown && isSameSpec && !isReleased ? 'refilled' : 'released' }
  }
  // Once the status says RolledBack, another client has added the pods. Then removing them is a repair.
  if (isRolledBack && isSame && isOtherCount && last.emptied !== 'rolledBack') return { is: 'rolledBack' }
  if (isNewQuestion && !isRolledBack && isSame && isOtherCount && replicasOf(fork) === 0) return { is: 'askedAgain' }
  if (isSame && !isOtherCount && (isNewQuestion || isNextVerdict(fork, wanted))) return { is: 'verdict' }
  const isOurs = isAsWritten(fork, lastWriteOf(fork, facts))
  const step = isSame && isOtherCount && isOurs ? stepOf(wanted) : undefined
  if (step !== undefined) return { is: 'step', step, replicas: replicasOf(wanted.fork) }
  const source = wanted.base.source()
  const isSameBase = status?.source?.templateHash === source.templateHash
  // With another spec or base than that of the status, an interrupted pass may have written this derivation.
  const isInStatus = isSameSpec && (isSameBase || !status?.source)
  if (isSame && isKnown && isInStatus) return { is: 'repaired' }
  if (isSame && !isKnown && (isInStatus || !isOtherCount)) return { is: 'notInStatus' }
  if (!isSameBase) return { is: 'sourceChanged', generation: source.generation }
  if (isOurs && isSameSpec && !isAsWritten(fork, status?.experimentResourceRef)) return { is: 'notInStatus' }
  // Any client can change the hash on the fork. The same spec and base tell that this derivation was applied before.
  return { is: isKnown && isSameSpec ? 'modified' : 'specChanged' }
}

/**
 * Whether the stored fork has the wanted derivation, and owns no other fields. Until a takeover, an interrupted pass
 * may have left fields of a former derivation.
 */
export const hasSameDerivation = ({ fork: found, experiment }: Facts, wanted: DesiredFork): boolean => {
  const fork = knownValue(found)
  return !!fork && isSameDerivation(fork, wanted, experiment) && !fork.metadata.managedFields?.some(isBeforeFirstApply)
}

/** The values that the annotation may have before each verdict. Another client has written any other value. */
const BEFORE: Readonly<Record<string, readonly (string | undefined)[]>> = {
  notSignificant: [undefined],
  noHarm: ['notSignificant'],
  harm: ['notSignificant', 'noHarm'],
}

function isNextVerdict(fork: KubeObject, { fork: wanted }: DesiredFork): boolean {
  const [is, shall] = [fork, wanted].map(({ metadata }) => metadata.annotations?.[GATED_DEPLOY_STATUS])
  return shall !== undefined && is !== shall && BEFORE[shall]?.includes(is) === true
}

/**
 * An autoscaler may change the size of a source often. The fork follows the first change at once, and waits this long
 * before it follows again.
 */
const RESIZE_DELAY_MS = 5_000

/**
 * How many milliseconds a write waits so that further changes of the size of the source share it: after a write in the
 * same step, if only the size of the source has changed since. A way back is never delayed, and a time in the future
 * delays nothing: it is from another clock.
 */
export function foldedMs({ now, experiment: { status, metadata }, fork: found }: Facts, occasion: Occasion): number {
  const fork = knownValue(found)
  if (!fork || occasion.is !== 'step' || status?.observedGeneration !== metadata.generation) return 0
  const [appliedMs, sinceMs] = [lastAppliedMs(fork), Date.parse(status?.strategy?.since ?? '')]
  const ageMs = now.getTime() - appliedMs
  const isForward = status?.strategy?.path === 'Forward'
  return isForward && appliedMs > sinceMs && ageMs >= 0 ? Math.max(0, RESIZE_DELAY_MS - ageMs) : 0
}

/** What decides in the run how many pods the fork has; undefined without a strategy. */
function stepOf(wanted: DesiredFork): string | undefined {
  const state = wanted.run()
  if (!state) return undefined
  const step = sizingStep(state.steps, state.run.stepIndex)
  return step ? nameOfStep(step) : 'spec.replicas'
}
