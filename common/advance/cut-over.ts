import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { WrittenObject } from '../conclusion/conclusion.ts'
import type { Write } from '../conclusion/write.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { type Facts, forkAndSource, podsOf } from '../facts/facts.ts'
import {
  cutOverServices,
  isServing,
  type Pinning,
  type PinState,
  pinningAt,
  pinState,
  type ServiceState,
  statesIn,
} from '../run-state/pins.ts'
import { mayHaveWritten, promotionIn, type RunState } from '../run-state/run.ts'
import { openPods } from '../strategy/gate.ts'
import { abortMove, type RunMove } from '../strategy/next.ts'
import type { Run } from '../strategy/run.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { lostPorts } from '../surroundings/ports.ts'
import { notSwitchable } from '../surroundings/switchable.ts'
import { serviceView } from '../surroundings/traffic.ts'
import { replicasOf } from '../workload/status.ts'
import { isStillPublished, pin, unpin } from './service-writes.ts'
import { switchEvent } from './switch-event.ts'

/** No event tells that another experiment returned a Service, or that pods of the source are available. */
const RETRY_MS = 10_000

/** What a pass does with the Services of a blue-green. */
export interface CutOverPlan {
  /** writes that return Services; they come first, so that no Service stays limited to a fork that it must not have */
  readonly unpinning: readonly Write[]
  /** writes that limit Services; they come after all others */
  readonly pinning: readonly Write[]
  /** replaces the decision that the health of the fork would give */
  readonly decision?: Decision
  /** whether the Services show what the present step wants */
  readonly isReached: boolean
  /** for an Event that says that the active Service is switched */
  readonly written?: WrittenObject
  /** the abort that the run must take, if any */
  readonly moved?: RunMove
}

/** What the pass does with the Services; undefined for another strategy, and where they were not read. */
export function cutOver(facts: Facts, state: RunState, fork: KubeObject | undefined): CutOverPlan | undefined {
  const pins = pinState(facts, state.spec)
  if (!pins) return undefined
  const { run, steps } = state
  const wanted = pinningAt(run, steps)
  const { active } = pins
  const both = statesIn(pins).map((of) => ({ of, is: of === active ? wanted.active : wanted.preview }))
  const isWritten = mayHaveWritten(facts, run)
  const isDying = pins.isDead && wanted.active !== 'unpinned'
  const none = { unpinning: [], pinning: [], isReached: false }
  if (isDying && !isWritten && run.path === 'Forward') return { ...none, moved: returnMove(facts, run, pins) }
  const unpinned = both.filter(({ of, is }) => isHeld(of, pins) && (is === 'unpinned' || (isDying && of === active)))
  const unpinning = unpinned.flatMap(({ of: { service } }) => (service ? [unpin(service)] : []))
  const isBack = unpinned.some(({ of }) => of === active)
  if (unpinning.length > 0)
    return { ...none, unpinning, ...(isBack ? switchEvent(facts, state, { of: active, reason: 'Returned' }) : {}) }
  if (isDying) return none
  return {
    ...none,
    ...pinWrites({ facts, state, fork, pins }, both),
    isReached: isReached({ facts, state, fork, pins }),
  }
}

/** Whether a Service has our key in its selector, or, as a preview without any key, what only we published. */
const isHeld = (of: ServiceState, { preview }: PinState): boolean =>
  of.isOurs || (of === preview && of.pinnedTo === undefined && of.service !== undefined && isStillPublished(of.service))

interface CutOverContext {
  readonly facts: Facts
  readonly state: RunState
  readonly fork: KubeObject | undefined
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
  const { facts, state, pins } = context
  const { run, steps } = state
  for (const { of, is } of both) {
    const isActive = of === pins.active
    const isRepair = steps[run.stepIndex]?.is !== (isActive ? 'cutOver' : 'preview')
    // Once the step is over, a Service that is as wanted is not judged again.
    if (is !== 'pinned' || (of.isOurs && isRepair)) continue
    const obstacle = (of.isOurs ? undefined : obstacleOf(context, of)) ?? missingPort(context, of)
    if (obstacle) return { decision: obstacle }
    if (of.isOurs || (run.held && !isRepair) || (isActive && !hasJoined(context))) continue
    const later = isRepair ? repairLater(context, of) : undefined
    if (later) return later
    const pinning = of.service ? [pin(facts.experiment, of.service, { isPreview: !isActive, isRepair })] : []
    return { pinning, ...(isActive ? switchEvent(facts, state, { of, reason: 'CutOver' }) : {}) }
  }
  const isWaiting = steps[run.stepIndex]?.is === 'return' && !pins.isBack
  const message = `service/${pins.active.name} sends to the fork until the pods of its source are ready`
  return isWaiting ? { decision: waiting('WaitsForSource', message, RETRY_MS) } : {}
}

/**
 * What to do now about a pin that another client removed; undefined: set it again at once. Once the source may be
 * written, the run cannot be aborted, so the fork and its source share the requests until the promotion is over.
 */
function repairLater({ facts, state, pins }: CutOverContext, { name }: ServiceState): Partial<CutOverPlan> | undefined {
  const { isContested = false, repairInMs = 0, previewRepairInMs = 0 } = cutOverServices(facts) ?? {}
  const isActive = name === pins.active.name
  const message = `another client keeps removing the label ${EXPERIMENT_ID} from the selector of service/${name}; exclude spec.selector there`
  if (isActive && isContested)
    return mayHaveWritten(facts, state.run)
      ? { decision: waiting('PinNotHeld', message, RETRY_MS) }
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

/** Whether the active Service sends to the fork only, and to all of its open pods. */
const isCutOver = (context: CutOverContext): boolean => {
  const { isOurs, endpoints } = context.pins.active
  return isOurs && hasJoined(context) && endpoints.all === endpoints.ofFork
}

/** Whether the slices show what the present step wants. */
function isReached(context: CutOverContext): boolean {
  const { state, pins, fork } = context
  const { active, preview } = pins
  switch (state.steps[state.run.stepIndex]?.is) {
    case 'preview': {
      const { all, ofFork } = preview?.endpoints ?? { all: 0, ofFork: 0 }
      return preview?.isOurs === true && all === ofFork && fork !== undefined && ofFork >= replicasOf(fork)
    }
    case 'promote':
      return promotionIn(context.facts.experiment, state.run)?.written !== undefined || isCutOver(context)
    case 'cutOver':
      return isCutOver(context)
    case 'return':
      return pins.isBack && !active.isOurs && preview?.isOurs !== true
    default:
      return true
  }
}

/** The abort when the fork has no ready pod, or is deleted, while the Service sends only to it. */
function returnMove(facts: Facts, run: Run, { active: { name }, isForkGone }: PinState) {
  const why = isForkGone ? 'the fork was deleted' : 'no pod of the fork was ready'
  const message = `service/${name} sends to the source again, because ${why}`
  return { ...abortMove(run, message, facts), reason: 'Returned' as const }
}

/** Why a Service cannot be limited to the fork now. */
function obstacleOf({ facts, fork, pins }: CutOverContext, of: ServiceState): Decision | undefined {
  const { name, service, pinnedTo, unread } = of
  if (unread !== undefined)
    return waiting('ServiceNotFound', `service/${name} could not be read now (${unread})`, RETRY_MS)
  if (!service) return waiting('ServiceNotFound', `service/${name} does not exist`, RETRY_MS)
  if (pinnedTo !== undefined)
    return waiting('ServiceIsTaken', `service/${name} sends only to the experiment with the id ${pinnedTo}`, RETRY_MS)
  const pair = forkAndSource(facts, fork)
  const found =
    pair && notSwitchable(name, serviceView(service), { ...trafficInput(pair), isActive: of === pins.active })
  return found && stalled(found.reason, found.message)
}

/** Why a Service would lose requests, or would list no pod, if it sent only to the fork. */
function missingPort({ facts, fork }: CutOverContext, { service }: ServiceState): Decision | undefined {
  const [pair, view] = [forkAndSource(facts, fork), service && serviceView(service)]
  const lost = pair && view && lostPorts(view, trafficInput(pair))
  return lost === undefined ? undefined : stalled('PortMissing', lost)
}

/** How long a deletion waits until the active Service sends to the source again, after it was returned. */
const RETURN_MS = 60_000

/** The writes that must come before the fork may go, or what to wait for; undefined if there is neither. */
export function returnFirst(facts: Facts): { readonly writes: readonly Write[]; readonly message: string } | undefined {
  const spec = strategyRunSpec(facts.experiment.spec)
  const pins = spec && pinState(facts, spec)
  if (!pins) return undefined
  const writes = statesIn(pins)
    .filter((of) => isHeld(of, pins))
    .flatMap(({ service }) => (service ? [unpin(service)] : []))
  const message = `its fork serves until service/${pins.active.name} sends to the source again`
  if (writes.length > 0) return { writes, message }
  const waitedMs = cutOverServices(facts)?.unchangedMs ?? 0
  return waitedMs < RETURN_MS && isServing(facts, pins) ? { writes, message } : undefined
}
