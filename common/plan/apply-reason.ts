import { readyOf } from '../api/conditions.ts'
import { DERIVED_HASH, GATED_DEPLOY_STATUS, WHOLE_DERIVED_HASH } from '../api/names.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import type { ExperimentDeployment, ExperimentResourceRef } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Facts, isAsWritten, lastWriteOf, type WrittenGeneration } from '../facts/facts.ts'
import { shortForkHash } from '../fork/derive.ts'
import { nameOfStep } from '../strategy/compile.ts'
import { sizingStep } from '../strategy/target.ts'
import { count } from '../text/count.ts'
import { isApplied, isBeforeFirstApply, isOwnedAsApplied, lastAppliedMs } from '../workload/identity.ts'
import { replicasOf } from '../workload/status.ts'

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

/** The stored status has a fork only if there was one when the experiment last had a pass. */
export function creationReason({ experiment }: Facts, { fork }: DesiredFork) {
  const isKnown = experiment.status?.experimentResourceRef?.name === fork.metadata.name
  const message = isKnown ? 'created again: it had been deleted' : 'created'
  return { message, isRepair: isKnown, isSameDerivation: false, foldedMs: 0 }
}

/** Whether the last pass left `fork` without pods, because it would have been alone behind a Service. */
const hadNoPodsBecauseAlone = ({ status }: ExperimentDeployment, fork: KubeObject): boolean =>
  status?.aloneSince !== undefined && (replicasOf(fork) === 0 || readyOf(status)?.reason === 'AloneBehindService')

interface ApplyReasonInput {
  readonly wanted: DesiredFork
  /** whether the fork must have no pods, because it would be alone behind a Service */
  readonly isHeld: boolean
  /** whether it must have no pods because of the verdict of its analysis */
  readonly isTaken: boolean
  /** whether its analysis asks another question than at the last pass, for example about a new source; absent: no */
  readonly isNewQuestion?: boolean
}

/**
 * Why an existing fork is applied: the message, whether it undoes the change of another client, and how many
 * milliseconds the write waits so that further changes of the size of the source share it.
 */
export function applyReason(facts: Facts, fork: KubeObject, of: ApplyReasonInput) {
  const { isHeld, isTaken, isNewQuestion = false, wanted } = of
  const { experiment } = facts
  const { status, metadata } = experiment
  const isSame = isSameDerivation(fork, wanted, experiment)
  const isOtherCount = replicasOf(fork) !== replicasOf(wanted.fork)
  // If the status does not know this fork, then the pass that created it could not write the status. That is no sign
  // of a change by another client.
  const isKnown = status?.experimentResourceRef?.uid === fork.metadata.uid
  const isSameSpec = status?.observedGeneration === metadata.generation
  const occasion = (message: string, isRepair: boolean, foldedMs = 0) => ({
    message,
    isRepair,
    // until a takeover, an interrupted pass may have left fields of a former derivation
    isSameDerivation: isSame && !fork.metadata.managedFields?.some(isBeforeFirstApply),
    foldedMs,
  })
  if (isOtherCount && hadNoPodsBecauseAlone(experiment, fork) !== isHeld) {
    // Unless the last pass removed the pods, another client did.
    const isReleased = isHeld || (readyOf(status)?.reason ?? 'AloneBehindService') === 'AloneBehindService'
    return occasion(
      'has its pods again: another endpoint of its Service is ready',
      isKnown && isSameSpec && !isReleased,
    )
  }
  // Once the status says RolledBack, another client has added the pods. Then removing them is a repair.
  if (isTaken && isSame && isOtherCount && readyOf(status)?.reason !== 'RolledBack')
    return occasion('rolled back because of the verdict of its analysis', false)
  if (isNewQuestion && !isTaken && isSame && isOtherCount && replicasOf(fork) === 0)
    return occasion('has its pods again: its analysis asks another question', false)
  if (isSame && !isOtherCount && (isNewQuestion || isNextVerdict(fork, wanted)))
    return occasion('its annotation now has the verdict of the analysis', false)
  const isOurs = isAsWritten(fork, lastWriteOf(fork, facts))
  const step = isSame && isOtherCount && isOurs ? stepOf(wanted) : undefined
  if (step !== undefined) {
    const foldedMs = isSameSpec ? untilResizeMs(facts, fork) : 0
    return occasion(`${step}: ${count(replicasOf(wanted.fork), 'pod')}`, false, foldedMs)
  }
  const source = wanted.base.source()
  const isSameBase = status?.source?.templateHash === source.templateHash
  // With another spec or base than that of the status, an interrupted pass may have written this derivation.
  const isInStatus = isSameSpec && (isSameBase || !status?.source)
  if (isSame && isKnown && isInStatus) return occasion('restored: another client had modified it', true)
  if (isSame && !isKnown && (isInStatus || !isOtherCount)) return occasion(NOT_IN_STATUS, false)
  if (!isSameBase) return occasion(`follows generation ${source.generation} of its source`, false)
  if (isOurs && isSameSpec && !isAsWritten(fork, status?.experimentResourceRef)) return occasion(NOT_IN_STATUS, false)
  // Any client can change the hash on the fork. The same spec and base tell that this derivation was applied before.
  return isKnown && isSameSpec
    ? occasion('applied again: another client modified it, or this version derives it differently', true)
    : occasion('updated to the spec of the experiment', false)
}

const NOT_IN_STATUS = 'applied again: it is not in the status yet'

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
 * How long the fork of a run keeps its size after a write in the same step, if only the size of the source has changed
 * since. A way back is never delayed, and a time in the future delays nothing: it is from another clock.
 */
function untilResizeMs({ now, experiment: { status } }: Facts, fork: KubeObject): number {
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
