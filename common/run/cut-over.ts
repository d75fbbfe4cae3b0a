import { readyOf } from '../api/conditions.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { type Facts, podsOf } from '../facts/facts.ts'
import { returnerOf, type WrittenObject, writtenBy } from '../outcome/conclusion.ts'
import { obstacleAt, SERVICE_RETRY_MS, serviceObstacle } from '../situation/obstacles.ts'
import { cutOverServices, isServing, type Pinning, pinningAt, sendsOnlyToFork, statesIn } from '../situation/pins.ts'
import { mayHaveWritten, promotionIn } from '../situation/run.ts'
import { type Shortage, shortageOf } from '../situation/shortage.ts'
import type { PinState, RunState, ServiceState, Situation } from '../situation/situation.ts'
import { NODES_MS, openPods } from '../strategy/gate.ts'
import { abortMove, type RunMove } from '../strategy/next.ts'
import type { Run } from '../strategy/run.ts'
import { count } from '../text/count.ts'
import { PROGRESS_DEADLINE_SECONDS, replicasOf } from '../workload/status.ts'
import { isStillPublished, pin, unpin } from '../writes/service-writes.ts'
import type { Write } from '../writes/write.ts'

/** What a pass does with the Services of a blue-green. */
export interface CutOverPlan {
  /** writes that return Services; they come first, so that no Service stays limited to a fork that it must not have */
  readonly unpinning: readonly Write[]
  /** writes that limit Services; they come after all others */
  readonly pinning: readonly Write[]
  /** replaces the decision that the health of the fork would give */
  readonly decision?: Decision
  /** milliseconds until the Services are looked at again, or are returned, whatever the fork waits for */
  readonly recheckMs?: number
  /** whether the Services show what the present step wants */
  readonly isReached: boolean
  /** for an Event that says that the active Service is switched */
  readonly written?: WrittenObject
  /** the abort that the run must take, if any */
  readonly moved?: RunMove
}

/** What the pass does with the Services; undefined for another strategy, and where they were not read. */
export function cutOver(
  situation: Situation,
  state: RunState,
  fork: KubeObject | undefined,
  gate: DesiredFork['gate'] = undefined,
): CutOverPlan | undefined {
  const { facts, pins } = situation
  if (!pins) return undefined
  const { run, steps } = state
  const wanted = pinningAt(run, steps)
  const { active } = pins
  const both = statesIn(pins).map((of) => ({ of, is: of === active ? wanted.active : wanted.preview }))
  const isWritten = mayHaveWritten(situation, run)
  const shortage = shortageOf(facts, state, pins)
  const isDying = (pins.isDead && wanted.active !== 'unpinned') || shortage?.returnsInMs === 0
  const none = { unpinning: [], pinning: [], isReached: false }
  if (isDying && !isWritten && run.path === 'Forward')
    return { ...none, moved: returnMove(facts, run, { pins, shortage }) }
  const unpinned = both.filter(({ of, is }) => isOurPin(of, pins) && (is === 'unpinned' || (isDying && of === active)))
  const unpinning = unpinned.flatMap(({ of: { service } }) => (service ? [unpin(service)] : []))
  const isBack = unpinned.some(({ of }) => of === active)
  if (unpinning.length > 0)
    return { ...none, unpinning, ...(isBack ? switchEvent(facts, state, { of: active, to: 'source' }) : {}) }
  if (isDying) return none
  const context = { situation, facts, state, fork, gate, pins }
  const pinned = pinWrites(context, both)
  const retriedMs = [
    ...(pinned.decision?.is === 'waiting' ? [pinned.decision.retryAfterMs] : []),
    ...[pinned.recheckMs, shortage?.returnsInMs].filter((each) => each !== undefined),
    ...statesIn(pins).flatMap(({ isOurs, listedMs }) => (isOurs && listedMs < NODES_MS ? [NODES_MS - listedMs] : [])),
  ]
  const recheck = retriedMs.length > 0 ? { recheckMs: Math.min(...retriedMs) } : {}
  return { ...none, ...pinned, ...recheck, isReached: isReached(context) }
}

/** Whether a Service has our key in its selector, or, as a preview without any key, what only we published. */
const isOurPin = (of: ServiceState, { preview }: PinState): boolean =>
  of.isOurs || (of === preview && of.pinnedTo === undefined && of.service !== undefined && isStillPublished(of.service))

interface CutOverContext {
  readonly situation: Situation
  readonly facts: Facts
  readonly state: RunState
  readonly fork: KubeObject | undefined
  /** of the wanted fork; undefined where none is derived */
  readonly gate: DesiredFork['gate']
  readonly pins: PinState
}

interface WantedPinning {
  readonly of: ServiceState
  readonly is: Pinning
}

/**
 * Limits the Services as the step wants: the preview at once, the active one when it lists all pods of the fork that
 * should be open. A paused run limits no other Service, but sets a lost pin again.
 */
function pinWrites(context: CutOverContext, both: readonly WantedPinning[]): Partial<CutOverPlan> {
  const { facts, state, pins, fork } = context
  const { run, steps } = state
  const obstacle = obstacleAt(facts, pins, { run, steps, fork })
  if (obstacle?.is === 'waiting') return { decision: lasting(context, obstacle), recheckMs: SERVICE_RETRY_MS }
  if (obstacle) return { decision: obstacle }
  const isPreviewing = pinningAt(run, steps).active !== 'pinned'
  for (const { of, is } of both) {
    const isActive = of === pins.active
    if (is !== 'pinned' || of.isOurs) continue
    // from the cut-over on nobody waits for a preview
    if (!isActive && !isPreviewing && serviceObstacle(facts, pins, { of, fork })) continue
    const isRepair = steps[run.stepIndex]?.is !== (isActive ? 'cutOver' : 'preview')
    if ((run.held && !isRepair) || (isActive && !hasJoined(context))) continue
    const later = isRepair ? repairLater(context, of) : undefined
    if (later) return later
    const pinning = of.service ? [pin(facts.experiment, of.service, { isPreview: !isActive, isRepair })] : []
    return { pinning, ...(isActive ? switchEvent(facts, state, { of, to: 'fork' }) : {}) }
  }
  const isWaiting = steps[run.stepIndex]?.is === 'return' && !pins.isBack
  const message = `service/${pins.active.name} sends to the fork until the pods of its source are ready`
  const decision = isWaiting ? waiting('WaitsForSource', message, SERVICE_RETRY_MS) : untilListed(context)
  return decision ? { decision } : {}
}

/**
 * An obstacle that may go away by itself is only waited for until the progress deadline of the fork. Then a person must
 * act.
 */
function lasting({ facts, state: { run }, gate }: CutOverContext, obstacle: Decision): Decision {
  const { status, reason, lastTransitionTime } = readyOf(facts.experiment.status) ?? {}
  if (status !== 'False' || reason !== obstacle.reason) return obstacle
  const sinceMs = Math.max(Date.parse(run.since), Date.parse(lastTransitionTime ?? ''))
  const deadlineS = gate?.progressDeadlineSeconds ?? PROGRESS_DEADLINE_SECONDS
  return facts.now.getTime() - sinceMs >= deadlineS * 1_000 ? stalled(obstacle.reason, obstacle.message) : obstacle
}

/**
 * What the steps that limit a Service wait for: until its slices list all open pods of the fork, which a readiness gate
 * of somebody else may keep from being ready, and when they do, until nodes follow a moment later.
 */
function untilListed(context: CutOverContext): Decision | undefined {
  const { state, pins } = context
  const { active } = pins
  const open = state.target?.open ?? 0
  if (state.steps[state.run.stepIndex]?.is === 'cutOver' && !active.isOurs && open > 0 && !hasJoined(context)) {
    const listed = `${active.endpoints.ofFork} of ${count(open, 'open pod')} of the fork`
    return lasting(context, waiting('PodsNotReady', `service/${active.name} lists ${listed}; all have to be ready`))
  }
  const of = switchedBy(context)
  if (!of || of.listedMs >= NODES_MS || !isListed(context)) return undefined
  const message = `service/${of.name} sends only to the fork as soon as all nodes know it`
  return waiting(of === context.pins.active ? 'CutOver' : 'Previewing', message, NODES_MS - of.listedMs)
}

/**
 * What to do now about a pin that another client removed; undefined: set it again at once. Once the source may be
 * written, the run cannot be aborted, so the fork and its source share the requests until the promotion is over.
 */
function repairLater(
  { situation, facts, state, pins }: CutOverContext,
  { name }: ServiceState,
): Partial<CutOverPlan> | undefined {
  const { isContested = false, repairInMs = 0, previewRepairInMs = 0 } = cutOverServices(facts) ?? {}
  const isActive = name === pins.active.name
  const message = `another client keeps removing the label ${EXPERIMENT_ID} from the selector of service/${name}; exclude spec.selector there`
  if (isActive && isContested)
    return mayHaveWritten(situation, state.run)
      ? { decision: waiting('PinNotHeld', message, SERVICE_RETRY_MS) }
      : { moved: { ...abortMove(state.run, message, facts), reason: 'PinNotHeld' } }
  const restMs = isActive ? repairInMs : previewRepairInMs
  const soon = `service/${name} will send only to the fork again soon: another client changed its selector`
  return restMs > 0 ? { decision: waiting(isActive ? 'CutOver' : 'Previewing', soon, restMs) } : undefined
}

/** Whether the active Service lists all pods of the fork that should get requests. */
function hasJoined({ facts, state, pins }: CutOverContext): boolean {
  const open = state.target?.open ?? 0
  const isOpen = open > 0 && openPods(podsOf(facts) ?? []) >= open
  return isOpen && pins.active.endpoints.ofFork >= open
}

/** The Service that the present step limits to the fork; undefined at other steps. */
function switchedBy({ facts, state: { run, steps }, pins }: CutOverContext): ServiceState | undefined {
  switch (steps[run.stepIndex]?.is) {
    case 'preview':
      return pins.preview
    case 'promote':
      return promotionIn(facts.experiment, run)?.written === undefined ? pins.active : undefined
    case 'cutOver':
      return pins.active
    default:
      return undefined
  }
}

/** Whether the slices show that the Service of the present step sends only to the fork, and to all of its pods. */
function isListed(context: CutOverContext): boolean {
  const { pins, fork } = context
  const of = switchedBy(context)
  if (!of?.isOurs || of.endpoints.all !== of.endpoints.ofFork) return false
  return of === pins.active ? hasJoined(context) : fork !== undefined && of.endpoints.ofFork >= replicasOf(fork)
}

/** Whether the Services are as the present step wants, for every node. */
function isReached(context: CutOverContext): boolean {
  const { state, pins } = context
  const { active, preview } = pins
  const of = switchedBy(context)
  if (of) return isListed(context) && sendsOnlyToFork(of)
  const isReturning = state.steps[state.run.stepIndex]?.is === 'return'
  return !isReturning || (pins.isBack && !active.isOurs && preview?.isOurs !== true)
}

interface Returning {
  readonly pins: PinState
  readonly shortage: Shortage | undefined
}

/** The abort when the fork has too few ready pods, or is deleted, while the Service sends only to it. */
function returnMove(facts: Facts, run: Run, { pins: { active, isForkGone, isDead }, shortage }: Returning) {
  const tooFew = isDead ? undefined : shortage && shortageText(shortage)
  const why = isForkGone ? 'the fork was deleted' : (tooFew ?? 'no pod of the fork was ready')
  const message = `service/${active.name} sends to the source again, because ${why}`
  return { ...abortMove(run, message, facts), reason: 'Returned' as const }
}

const shortageText = ({ promised, ofSource }: Shortage): string =>
  `fewer than ${count(promised, 'pod')} of the fork were ready for a minute, and ${ofSource} of the source`

/** How long a deletion waits until the active Service sends to the source again, after it was returned. */
const RETURN_MS = 60_000

/** The writes that must come before the fork may go, or what to wait for; undefined if there is neither. */
export function returnFirst({
  facts,
  pins,
}: Situation): { readonly writes: readonly Write[]; readonly message: string } | undefined {
  if (!pins) return undefined
  const writes = statesIn(pins)
    .filter((of) => isOurPin(of, pins))
    .flatMap(({ service }) => (service ? [unpin(service)] : []))
  const message = `its fork serves until service/${pins.active.name} sends to the source again`
  if (writes.length > 0) return { writes, message }
  const waitedMs = cutOverServices(facts)?.unchangedMs ?? 0
  return waitedMs < RETURN_MS && isServing(facts, pins) ? { writes, message } : undefined
}

interface Switched {
  readonly of: ServiceState
  /** to whose pods it sends then */
  readonly to: 'fork' | 'source'
}

/** An Event about the active Service, which a pass limits to the fork or returns. */
function switchEvent(
  { experiment }: Facts,
  state: RunState,
  { of: { service: object }, to }: Switched,
): { readonly written?: WrittenObject } {
  if (!object) return {}
  if (to === 'fork')
    return { written: writtenBy(experiment, { object, reason: 'CutOver', what: 'sends only to the fork of' }) }
  const [what, by] = ['sends to its own pods again, not to the fork of', returnerOf(experiment, state)]
  return { written: writtenBy(experiment, { object, reason: 'Returned', what, by }) }
}
