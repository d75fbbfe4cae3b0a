import { type Known, knownValue } from '../api/known.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { type CutOverServices, podsOf, type SpecFacts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { at } from '../json/json.ts'
import { sizeOf } from '../scaling/size.ts'
import type { RunStep } from '../strategy/compile.ts'
import { NODES_MS, openPods, readyPods } from '../strategy/gate.ts'
import type { Run } from '../strategy/run.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { serviceView } from '../surroundings/traffic.ts'
import { experimentId, forkName } from '../workload/identity.ts'
import { PROGRESS_DEADLINE_SECONDS, statusCount } from '../workload/status.ts'
import type { PinState, ServiceState, SpecSituation } from './situation.ts'

/** What a step wants of a Service: limited to the fork, not limited, or as it is now. */
export type Pinning = 'pinned' | 'unpinned' | 'kept'

/**
 * What the present step wants of the two Services. The preview is pinned from its step on, and the active Service
 * from the cut-over on, until both are returned. Where the source is restored, they stay as they are until then.
 */
export function pinningAt(
  { path, stepIndex }: Run,
  steps: readonly RunStep[],
): Readonly<Record<'active' | 'preview', Pinning>> {
  const present = steps[stepIndex]?.is
  const past = new Set(steps.slice(0, stepIndex + 1).map(({ is }) => is))
  if (past.has('return') || path === 'Abort') return { active: 'unpinned', preview: 'unpinned' }
  if (path === 'Undo') return present === 'restore' ? KEPT : { active: 'unpinned', preview: 'unpinned' }
  const pinned = (is: 'preview' | 'cutOver'): Pinning => (past.has(is) ? 'pinned' : 'unpinned')
  return { active: pinned('cutOver'), preview: pinned('preview') }
}

const KEPT = { active: 'kept', preview: 'kept' } as const

/** Whether requests to a Service reach only the fork, on every node. */
export const sendsOnlyToFork = ({ isOurs, endpoints: { all, ofFork }, listedMs }: ServiceState): boolean =>
  isOurs && all === ofFork && listedMs >= NODES_MS

/** Both Services, or the only one. */
export const statesIn = ({ active, preview }: PinState): readonly ServiceState[] =>
  preview ? [active, preview] : [active]

/** The Services of a blue-green; undefined where they were not read. */
export const cutOverServices = ({ cutOver }: SpecFacts) => knownValue(cutOver?.services ?? { is: 'absent' })

/** The state of both Services. */
export function pinState({ facts, strategy }: SpecSituation): PinState | undefined {
  const { experiment } = facts
  const [seen, blueGreen] = [cutOverServices(facts), strategy?.blueGreen]
  if (!blueGreen || !seen) return undefined
  const id = experimentId(experiment.metadata.uid)
  const fork = forkName(experiment.spec.sourceRef.name, experiment.metadata.uid)
  const stateOf = (name: string, found: Known<KubeObject>, listedMs: number): ServiceState => {
    const service = knownValue(found)
    const value = at(service, 'spec', 'selector', EXPERIMENT_ID)
    const pinnedTo = typeof value === 'string' ? value : undefined
    const sender = (service && serviceView(service)) ?? { name }
    const endpoints = readyEndpoints(seen.slices, sender, fork)
    const unread = found.is === 'unknown' ? { unread: found.because } : {}
    return { name, service, ...unread, pinnedTo, isOurs: pinnedTo === id, endpoints, listedMs }
  }
  const active = stateOf(blueGreen.activeService, seen.active, seen.listedMs)
  const { previewService } = blueGreen
  const preview = previewService === undefined ? undefined : stateOf(previewService, seen.preview, seen.previewListedMs)
  const source = knownValue(seen.source)
  const available = source ? statusCount(source, 'availableReplicas') : 0
  const isListed = available > 0 && active.endpoints.listedPods >= available && hasEnoughPods(facts, source, seen)
  const isBack = seen.active.is === 'absent' || (active.service !== undefined && !active.isOurs && isListed)
  // the pods of a deleted fork still answer for a moment: time enough to go back without losing a request
  const isForkGone = isGone(facts.fork)
  // Slices may follow the pods a second later. Requests fail in that time.
  const pods = podsOf(facts)
  const isEmpty = active.endpoints.ofFork === 0 || (pods !== undefined && readyPods(pods) === 0)
  return { active, preview, isBack, isForkGone, isDead: active.isOurs && available > 0 && (isEmpty || isForkGone) }
}

/** How long a way back waits for pods of its source at most. A StatefulSet has no deadline of its own. */
const SETTLING_MS = PROGRESS_DEADLINE_SECONDS * 1_000

/**
 * Whether the source has as many available pods as its own rollout leaves, so that it can serve alone; of a rollout
 * that takes down all at once, all of them. True also where it gets no more: it is stalled or paused, or it takes too
 * long.
 */
function hasEnoughPods({ kind, now }: SpecFacts, source: KubeObject | undefined, { unchangedMs }: CutOverServices) {
  const adapter = knownValue(kind)
  if (!source || !adapter || unchangedMs >= SETTLING_MS) return true
  if (forkHealth(adapter, source, now).is !== 'progressing') return true
  const [wanted, down] = [sizeOf(source).now, adapter.takesDown(source)]
  return statusCount(source, 'availableReplicas') >= (down < wanted ? wanted - down : wanted)
}

/** The names of all Services that are limited to the fork; undefined where they were not read. */
export function limitedServices({ surroundings, experiment }: SpecFacts): readonly string[] | undefined {
  const id = experimentId(experiment.metadata.uid)
  const limited = knownValue(surroundings.traffic)?.services.filter(({ selector }) => selector[EXPERIMENT_ID] === id)
  return limited?.map(({ name }) => name)
}

/**
 * Why the fork must stay: a Service of the blue-green sends only to it, as the caches show, so that without the fork
 * nobody would answer, or one is too large to be read. It matters where the controller may not return the Service.
 * Undefined if there is no such Service.
 */
export function keptBy(facts: SpecFacts): string | undefined {
  const { activeService, previewService } = facts.experiment.spec.strategy?.blueGreen ?? {}
  const unread = knownValue(facts.surroundings.traffic)?.unread?.find(
    ({ name }) => name === `service/${activeService}` || name === `service/${previewService}`,
  )
  if (unread) return `${unread.name} is too large (${unread.unread}) and may send only to its fork; make it smaller`
  const found = limitedServices(facts)?.find((name) => name === activeService || name === previewService)
  const published = found === previewService ? ', and publishNotReadyAddresses unless you set it' : ''
  return found && `service/${found} sends only to its fork; remove ${EXPERIMENT_ID} from its selector${published}`
}

const isGone = (fork: Known<KubeObject>): boolean =>
  fork.is === 'absent' || (fork.is === 'known' && fork.value.metadata.deletionTimestamp !== undefined)

/**
 * Whether a blue-green has, or may have, requests of its Services, so that it must keep its pods. Where these were not
 * read, the caches tell.
 */
export function hasRequests({ facts, strategy, pins }: SpecSituation): boolean {
  if (!strategy?.blueGreen) return false
  return pins ? isServing(facts, pins) : facts.surroundings.traffic.is !== 'known' || keptBy(facts) !== undefined
}

/**
 * Whether a blue-green has, or may have, requests of the active Service, so that no open pod may be shut. A Service
 * that was read and lists none of them, as one that another experiment has, sends them nothing. An EndpointSlice that
 * is too large to be read may list them.
 */
export function isServing(facts: SpecFacts, { active, isBack }: PinState): boolean {
  if (active.isOurs) return true
  const unread = knownValue(facts.surroundings.traffic)?.unread ?? []
  const mayHaveMore = unread.some(({ name }) => name.startsWith('endpointslice/'))
  const mayBeListed = active.unread !== undefined || active.endpoints.ofFork > 0 || mayHaveMore
  return mayBeListed && !isBack && openPods(podsOf(facts) ?? []) > 0
}
