import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ScaledSource } from '../api/strategy.ts'
import { type Decision, waiting } from '../facts/decision.ts'
import { forkAndSource, type ScalingFacts, type SpecFacts } from '../facts/facts.ts'
import { at } from '../json/json.ts'
import { nextMove, type Side, type Sides } from '../scaling/move.ts'
import { sizeRecordOf } from '../scaling/record.ts'
import { sizeOf } from '../scaling/size.ts'
import { boundsOf, type SizePair } from '../scaling/sizes.ts'
import { NODES_MS } from '../strategy/gate.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { selectsPods, trafficInput } from '../surroundings/pod-labels.ts'
import { shortNameOf } from '../text/short-name.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { replicasOf, statusCount } from '../workload/status.ts'
import type { OnSource, Scaling, SpecSituation } from './situation.ts'

/** What decides the size of a source that is there, and can be read. */
interface Sized {
  readonly source: KubeObject
  readonly uid: string
  readonly stored: ScaledSource | undefined
}

/**
 * What of our size is on `source`. The label counts with the number that was written with it. Where the label is gone,
 * or is that of another experiment over our number, the status tells, if it is about this source.
 */
export function onSource({ source, uid, stored }: Sized): OnSource {
  const [{ now }, record] = [sizeOf(source), sizeRecordOf(source)]
  if (record && record.experiment !== uid) {
    const before = stored && stored.uid === source.metadata.uid ? (stored.replaced ?? stored) : undefined
    return before && before.written === now && before.size > now
      ? { is: 'lost', size: before.size }
      : { is: 'foreign', experiment: record.experiment }
  }
  if (record) return record.written === now ? { is: 'ours', record } : { is: 'changed', from: record.written }
  if (!stored) return { is: 'none' }
  if (stored.uid !== source.metadata.uid) return { is: 'changed', from: stored.written }
  const { replaced } = stored
  // before our first write is seen, the number that it would write may be that of somebody else
  const isFirst = replaced !== undefined && replaced.size === replaced.written && stored.written < stored.size
  const known = [...(isFirst ? [] : [stored]), ...(replaced ? [replaced] : [])].find(({ written }) => written === now)
  if (!known) return { is: 'changed', from: stored.written }
  return known.size > now ? { is: 'lost', size: known.size } : { is: 'none' }
}

/** The pods that the source should have without the canary: see `sizeOf`. Of a lost label, as the status has it. */
const sizeNow = (source: KubeObject, found: OnSource): number =>
  found.is === 'lost' ? found.size : sizeOf(source).wanted

/** The source as it was just read, for a canary that may change its size; undefined where it was not, or is gone. */
export function scaledSourceOf({ scaling }: Pick<SpecFacts, 'scaling'>): KubeObject | undefined {
  const source = scaling && knownValue(scaling.source)
  return source && !isBeingDeleted(source) ? source : undefined
}

/** The pods that the source should have without the canary; undefined where the source was not just read. */
export function wantedSize(facts: SpecFacts): number | undefined {
  const source = scaledSourceOf(facts)
  return source && sizeNow(source, onSource(sizedBy(facts, source)))
}

const sizedBy = ({ experiment }: SpecFacts, source: KubeObject): Sized => ({
  source,
  uid: experiment.metadata.uid,
  stored: experiment.status?.strategy?.scaled,
})

/** How long a promotion or a cut-over waits until it looks again whether another experiment scales the source. */
const BUSY_MS = 10_000

/** That another experiment has made `source` smaller, so that its fork is production; undefined if none has. */
export function scaledByOther({ experiment }: SpecFacts, source: KubeObject): Decision | undefined {
  const { experiment: uid } = sizeRecordOf(source) ?? {}
  if (uid === undefined || uid === experiment.metadata.uid) return undefined
  const message = `another experiment scales ${shortNameOf(source)}: the one with the uid ${uid}`
  return waiting('SourceIsBusy', message, BUSY_MS)
}

/** How a source is made smaller or larger; undefined for an experiment that does neither, and without the source. */
export function scalingOf({ facts, strategy }: SpecSituation): Scaling | undefined {
  const source = scaledSourceOf(facts)
  if (!source || !facts.scaling) return undefined
  const found = onSource(sizedBy(facts, source))
  const size = sizeNow(source, found)
  const { maxSurge = '25%', maxUnavailable = 0 } = strategy?.isInsideSource ? strategy : {}
  return {
    source,
    onSource: found,
    size,
    stored: facts.experiment.status?.strategy?.scaled,
    isServing: sizeRecordOf(source)?.experiment === facts.experiment.metadata.uid || found.is === 'lost',
    bounds: boundsOf(size, { maxSurge, maxUnavailable }),
    sides: sidesOf(facts, source, facts.scaling),
    isListed: facts.scaling.listedMs >= NODES_MS,
  }
}

/** The pods of both, and how many of them every Service lists that sends to either. */
function sidesOf(facts: SpecFacts, source: KubeObject, { sizedMs }: ScalingFacts): Sides {
  const fork = knownValue(facts.fork)
  const listed = listedPods(facts, source, fork)
  return {
    source: sideOf(source, sizedMs, listed.source),
    fork: fork ? sideOf(fork, sizedMs, listed.fork) : { replicas: 0, counted: 0, ready: 0, available: 0 },
  }
}

/** A fork that is being deleted keeps its pods until they end, and its controller makes no others. */
function sideOf(workload: KubeObject, sizedMs: number, listed: number): Side {
  const replicas = isBeingDeleted(workload) ? 0 : replicasOf(workload)
  const present = Math.max(replicas, statusCount(workload, 'replicas'))
  return {
    replicas,
    counted: present + endingPods(workload, sizedMs),
    ready: Math.min(replicas, statusCount(workload, 'readyReplicas')),
    available: Math.min(replicas, statusCount(workload, 'availableReplicas'), listed),
  }
}

/** The grace period of pods whose template has none. */
const GRACE_SECONDS = 30

/**
 * The pods that are ending. A Kubernetes before 1.35 does not tell: then pods may be ending until the grace period of
 * the template is over, since the sizes were changed.
 */
function endingPods(workload: KubeObject, sizedMs: number): number {
  const told = at(workload, 'status', 'terminatingReplicas')
  if (typeof told === 'number') return told
  const grace = at(workload, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds')
  const graceMs = (typeof grace === 'number' ? grace : GRACE_SECONDS) * 1_000
  return sizedMs >= graceMs ? 0 : Number.POSITIVE_INFINITY
}

/**
 * How many pods each side has in every Service that sends to it. A Service that lists nobody sends to nobody, so it
 * does not count, and neither does a Service whose slices could not be read.
 */
function listedPods(facts: SpecFacts, source: KubeObject, fork: KubeObject | undefined): SizePair {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  const none = { fork: Number.POSITIVE_INFINITY, source: Number.POSITIVE_INFINITY }
  if (!pair || !fork || !traffic) return none
  const pods = trafficInput({ ...pair, source })
  return traffic.services.reduce((least, service) => {
    const { all, ofFork, listedPods: ofSource } = readyEndpoints(traffic.slices, service, fork.metadata.name)
    if (all === 0) return least
    const isOfSource = pods.source !== undefined && selectsPods(service, pods.source)
    return {
      fork: selectsPods(service, pods.fork) ? Math.min(least.fork, ofFork) : least.fork,
      source: isOfSource ? Math.min(least.source, ofSource) : least.source,
    }
  }, none)
}

/** The next move towards `goal`. */
export const moveTo = ({ sides, bounds, isListed }: Scaling, goal: SizePair) =>
  nextMove({ goal, sides, bounds, isListed })

/** The sizes after the next move towards `goal`. */
export function sizesAfterMove(scaling: Scaling, goal: SizePair): SizePair {
  const { fork, source } = scaling.sides
  const move = moveTo(scaling, goal)
  const sizes = { fork: fork.replicas, source: source.replicas }
  return move.is === 'resize' ? { ...sizes, [move.side]: move.to } : sizes
}

/** Whether fewer pods of both are available than the bounds promise. */
const isShort = ({ sides: { fork, source }, bounds }: Scaling): boolean =>
  fork.available + source.available < bounds.least

/** How long a fork that stands for pods of its source may have too few. */
const SHORTAGE_MS = 60_000

/** Whether pods of the fork are missed for which the source has none. */
export const isForkShort = (scaling: Scaling): boolean =>
  isShort(scaling) && scaling.sides.fork.available < Math.max(1, scaling.sides.fork.replicas)

/**
 * Why a fork that stands for pods of its source cannot: it was deleted, it has no ready pod, or too few of its pods
 * have been available for a minute. Undefined if it can.
 */
export function lostForkReason({ fork, scaling: timed }: SpecFacts, scaling: Scaling): string | undefined {
  if (!scaling.isServing || !isForkShort(scaling)) return undefined
  if (fork.is === 'absent' || (fork.is === 'known' && isBeingDeleted(fork.value))) return 'the fork was deleted'
  if (scaling.sides.fork.ready === 0) return 'no pod of the fork was ready'
  return (timed?.shortMs ?? 0) >= SHORTAGE_MS ? 'too few pods of the fork were available for a minute' : undefined
}
