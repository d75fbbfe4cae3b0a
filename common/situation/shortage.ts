import { type Amount, roundedDown } from '../api/amount.ts'
import { knownValue } from '../api/known.ts'
import { podsOf, type SpecFacts } from '../facts/facts.ts'
import { type GatedPod, readyPods } from '../strategy/gate.ts'
import { PROGRESS_DEADLINE_SECONDS, statusCount } from '../workload/status.ts'
import { cutOverServices, pinningAt } from './pins.ts'
import type { PinState, RunState } from './situation.ts'

/** How long a fork that gets all requests may have too few ready pods while its source has more. */
const SHORTAGE_MS = 60_000

/** How long pods that are created in the place of others, one after the other, excuse a shortage: a drain of nodes. */
const REPLACING_MS = PROGRESS_DEADLINE_SECONDS * 1_000

/** How many of `pods` are ready while a Service sends only to them. One that is no amount excuses no pod. */
export const promisedPods = (pods: number, maxUnavailable: Amount): number =>
  Math.max(0, pods - (roundedDown(maxUnavailable, pods) ?? 0))

/** Fewer pods of the fork are ready than its cut-over promises, and its source has more. */
export interface Shortage {
  readonly ready: number
  readonly promised: number
  /** how many pods of its source are available */
  readonly ofSource: number
  /** milliseconds until its Service is returned; 0: now */
  readonly returnsInMs: number
}

/**
 * The shortage of a fork to which the active Service is limited; undefined if there is none. It lasts as long as the
 * source has more pods: a fork that grows with its source is not short before.
 */
export function shortageOf(
  facts: SpecFacts,
  { spec, run, steps, target }: RunState,
  pins: PinState,
): Shortage | undefined {
  const [services, pods] = [cutOverServices(facts), podsOf(facts)]
  const isPromised = pins.active.isOurs && pinningAt(run, steps).active === 'pinned'
  if (!isPromised || !spec.blueGreen || !services || !pods || !target) return undefined
  const [ready, promised] = [readyPods(pods), promisedPods(target.open, spec.blueGreen.maxUnavailable)]
  const source = knownValue(services.source)
  const ofSource = source ? statusCount(source, 'availableReplicas') : 0
  if (ready >= promised || ready >= ofSource) return undefined
  const { shortMs = 0 } = services
  const returnsInMs = Math.max(SHORTAGE_MS - shortMs, excusedMs(facts, pods, { shortMs, lacking: promised - ready }))
  return { ready, promised, ofSource, returnsInMs: Math.max(0, returnsInMs) }
}

interface Lack {
  readonly shortMs: number
  readonly lacking: number
}

/** Milliseconds for which new pods, which may be there because nodes are drained, stand for all that are lacking. */
function excusedMs({ now }: SpecFacts, pods: readonly GatedPod[], { shortMs, lacking }: Lack): number {
  const newMs = pods
    .filter(({ isReady, isBeingDeleted }) => !isReady && !isBeingDeleted)
    .map(({ createdAt }) => SHORTAGE_MS - (now.getTime() - Date.parse(createdAt ?? '')))
    .filter((leftMs) => leftMs > 0)
    .sort((a, b) => b - a)
  return Math.min(newMs[lacking - 1] ?? 0, REPLACING_MS - shortMs)
}
