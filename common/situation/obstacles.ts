import { ABSENT, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { forkAndSource, podsOf, type SpecFacts } from '../facts/facts.ts'
import type { RunStep } from '../strategy/compile.ts'
import { openPods } from '../strategy/gate.ts'
import type { Run } from '../strategy/run.ts'
import type { PodTarget } from '../strategy/target.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { lostPorts } from '../surroundings/ports.ts'
import { notSwitchable } from '../surroundings/switchable.ts'
import { serviceView, type TrafficView } from '../surroundings/traffic.ts'
import { cutOverServices, pinningAt } from './pins.ts'
import { scaledByOther } from './scaling.ts'
import type { PinState, ServiceState, SpecSituation } from './situation.ts'

/** No event tells that another experiment returned a Service, or that pods of the source are available. */
export const SERVICE_RETRY_MS = 10_000

/** A run at its step, of an experiment whose wanted fork is `fork`; undefined: the present one. */
interface AtStep {
  readonly run: Run
  readonly steps: readonly RunStep[]
  readonly fork?: KubeObject | undefined
}

/**
 * Why the present step cannot limit the Services that it needs to the fork: the first obstacle of any of them. The
 * preview is needed until the cut-over, for which it is tested, and then no more. Pods are judged as they are, so the
 * present fork counts before the wanted one.
 */
export function obstacleAt(facts: SpecFacts, pins: PinState, { run, steps, fork }: AtStep): Decision | undefined {
  const wanted = pinningAt(run, steps)
  const { active, preview } = pins
  const cutOver = steps.findIndex(({ is }) => is === 'cutOver')
  const isTested = active.isOurs || run.stepIndex > cutOver
  const needed = [
    ...(wanted.active === 'pinned' ? [active] : []),
    ...(preview && wanted.preview === 'pinned' && !isTested ? [preview] : []),
  ]
  const present = steps[run.stepIndex]?.is
  const source = knownValue(cutOverServices(facts)?.source ?? ABSENT)
  const busy = present === 'cutOver' && !active.isOurs && source ? scaledByOther(facts, source) : undefined
  if (busy) return busy
  for (const of of needed) {
    // Once the step is over, a Service that is as wanted is not judged again.
    const isAgain = of.isOurs && present !== (of === active ? 'cutOver' : 'preview')
    const found = isAgain ? undefined : serviceObstacle(facts, pins, { of, fork })
    if (found) return found
  }
  return undefined
}

interface Judged {
  readonly of: ServiceState
  readonly fork?: KubeObject | undefined
}

/** Why one Service cannot be limited to the fork now, or would lose requests. Of a limited one only ports count. */
export function serviceObstacle(facts: SpecFacts, { active }: PinState, { of, fork }: Judged): Decision | undefined {
  const { name, service, pinnedTo, unread, isOurs } = of
  const field = of === active ? 'activeService' : 'previewService'
  const later = (reason: 'ServiceNotFound' | 'ServiceIsTaken', message: string) =>
    waiting(reason, `service/${name} ${message}`, SERVICE_RETRY_MS)
  if (unread !== undefined) return later('ServiceNotFound', `could not be read now (${unread})`)
  if (!service) return later('ServiceNotFound', `does not exist; ${remedyOf(field)}`)
  if (!isOurs && pinnedTo !== undefined)
    return later('ServiceIsTaken', `sends only to the experiment with the id ${pinnedTo}`)
  const pair = forkAndSource(facts, knownValue(facts.fork) ?? fork)
  if (!pair) return undefined
  const [view, pods] = [serviceView(service), trafficInput(pair)]
  const unfit = isOurs ? undefined : notSwitchable(name, view, { ...pods, isActive: of === active })
  if (unfit) return stalled(unfit.reason, unfit.message)
  const lost = view && lostPorts(view, pods)
  return lost === undefined ? undefined : stalled('PortMissing', lost)
}

/**
 * Why nobody can have tested the fork through its preview, where that matters: before the cut-over. A review has views
 * only, so it knows less.
 */
export function previewObstacle({ facts, strategy, pins }: SpecSituation): string | undefined {
  const { previewService: name } = strategy?.blueGreen ?? {}
  const traffic = knownValue(facts.surroundings.traffic)
  if (pins?.preview?.isOurs || pins?.active.isOurs) return undefined
  if (pins?.preview) return serviceObstacle(facts, pins, { of: pins.preview })?.message
  return name !== undefined && traffic && isMissingIn(traffic, name)
    ? `service/${name} does not exist, or has no selector; ${remedyOf('previewService')}`
    : undefined
}

/** Whether no Service of that name is known that sends to pods by a selector. One that could not be read may be one. */
export const isMissingIn = ({ services, unread = [] }: TrafficView, service: string): boolean =>
  !services.some(({ name }) => name === service) && !unread.some(({ name }) => name === `service/${service}`)

type ServiceField = 'activeService' | 'previewService'
const remedyOf = (field: ServiceField) => `create it, or correct spec.strategy.blueGreen.${field}`

interface Wanted extends AtStep {
  readonly target: PodTarget
  /** whether the source may have the change: then it does not matter which of both versions answers */
  readonly mayHaveWritten: boolean
}

/**
 * How many pods may have requests now, of those that the step wants to be open. All places that open pods ask here.
 * Until the active Service sends only to the fork, a blue-green has all of them open or none: none while an obstacle is
 * in the way, while the cut-over is paused, and while pods are not ready. Pods that the Service may need stay open.
 */
export function openNow(facts: SpecFacts, pins: PinState | undefined, { target, ...at }: Wanted): number {
  const pods = podsOf(facts)
  if (!pins || !pods || pins.active.isOurs || pinningAt(at.run, at.steps).active !== 'pinned') return target.open
  const isHeld = at.run.held === true && at.steps[at.run.stepIndex]?.is === 'cutOver'
  const ready = pods.filter(({ hasReadyContainers, isBeingDeleted }) => hasReadyContainers && !isBeingDeleted)
  const isPossible = !isHeld && ready.length >= target.open && obstacleAt(facts, pins, at) === undefined
  if (isPossible) return target.open
  return at.mayHaveWritten ? Math.min(target.open, openPods(pods)) : 0
}
