import { SCALED } from '../../common/api/names.ts'
import { type KubeObject, partedByRead, type UnreadView } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { forkHealth } from '../../common/fork/health.ts'
import { isEqual } from '../../common/json/json.ts'
import type { Handler } from '../../common/kube/watch/handlers.ts'
import { afterOf, beforeOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { Timers } from '../../common/program/clock.ts'
import { sizeRecordOf } from '../../common/scaling/record.ts'
import { sourceOfPrimary } from '../../common/surroundings/hazards.ts'
import type { ServiceView, SliceView } from '../../common/surroundings/traffic.ts'
import { hasForeignStatus, hasForkFinalizer, isFork } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { ExperimentIndex } from '../indexes/experiment-index.ts'
import { ForkPods, type PodView } from '../indexes/fork-pods.ts'
import { Referrers } from '../indexes/referrers.ts'
import { changedPods, lostEndpoints, TrafficIndex } from '../indexes/traffic.ts'
import { DriftBackoff } from '../memory/drift-backoff.ts'
import { namespaceOf } from '../runtime/fair-line.ts'
import type { Key, KeyQueue } from '../runtime/queue.ts'
import { COALESCE_MS, PacedWakeups } from './paced-wakeups.ts'

/** A cache that reports its changes; a `Reflector` is one. */
interface WatchedObjects<T> {
  subscribe(handler: Handler<T>): unknown
}

/** The caches whose changes wake experiments. */
interface WatchedCaches {
  readonly experiments: WatchedObjects<ExperimentDeployment>
  readonly workloads: readonly (Record<'forks' | 'others', WatchedObjects<KubeObject>> & {
    readonly kind: WorkloadKind
  })[]
  readonly services: WatchedObjects<ServiceView | UnreadView>
  readonly slices: WatchedObjects<SliceView | UnreadView>
  /** absent where pods may not be read */
  readonly pods?: WatchedObjects<PodView> | undefined
}

/** What follows the changes of experiments. */
interface ExperimentTracking {
  readonly index: ExperimentIndex
  /** returns the experiments that may take the place that the changed one left under a limit */
  readonly onExperimentChange: (change: ObjectChange<ExperimentDeployment>) => readonly Key[]
  /** returns the experiments for whose limits the changed fork counts */
  readonly onForkChange: (kind: string, change: ObjectChange<KubeObject>) => readonly Key[]
  /** milliseconds before which a status that differs only in shares is not written */
  readonly shareRestMs: (key: Key) => number
  readonly timers: Timers
}

/** What passes read, and the wakeups that a pass makes superfluous. */
interface Indexes {
  readonly traffic: TrafficIndex
  readonly referrers: Referrers
  readonly forkPods: ForkPods
  readonly paced: PacedWakeups
}

/** A status that another client wrote under the name of the controller is corrected within this time. */
const STATUS_CHANGE_MS = 60_000

/** Within this time the cluster reports the endpoint of a new pod, and the fork that has it. */
const OWN_CHANGE_MS = 1_000

/** Whether a slice is there that only got more endpoints of the same Service. */
const hasLostNone = (before: SliceView | undefined, after: SliceView | undefined): boolean =>
  after !== undefined &&
  (before === undefined || (before.service === after.service && lostEndpoints(before, after).size === 0))

/** Whether only the status of an experiment changed, or what nothing depends on. Annotations may be commands. */
const hasSameSpec = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  before.generation === after.generation &&
  before.deletionTimestamp === after.deletionTimestamp &&
  isEqual(before.annotations, after.annotations)

/** Whether another client emptied the memory of a run, which begins again. Managed fields do not show that client. */
const hasLostRun = (before: ExperimentDeployment, after: ExperimentDeployment): boolean =>
  before.status?.strategy !== undefined && after.status?.strategy === undefined

/** Whether the finalizer of the controller is gone, without which a fork in another namespace could be left behind. */
const hasLostFinalizer = (before: ExperimentDeployment, after: ExperimentDeployment): boolean =>
  hasForkFinalizer(before) && !hasForkFinalizer(after)

/** Makes every change in `caches` wake the experiments that it may concern. Returns the indexes that passes read. */
export function wakeOnChanges(
  caches: WatchedCaches,
  queue: Pick<KeyQueue, 'add' | 'addAfter' | 'addChanged' | 'forget'>,
  { index, onExperimentChange, onForkChange, shareRestMs, timers }: ExperimentTracking,
): Indexes {
  const [traffic, referrers, forkPods] = [new TrafficIndex((key) => index.has(key)), new Referrers(), new ForkPods()]
  const { paced, wake, wakeForOwn, wakeLater } = waking(queue, { index, timers })
  const wakeForFinalizer = pacedRepairs(queue, timers)

  caches.experiments.subscribe((change) => {
    const { key } = change
    wake(onExperimentChange(change))
    if (change.is === 'deleted') {
      index.remove(key, change.before)
      traffic.followers.forget(key)
      paced.forget(key)
      queue.forget(key)
      return
    }
    index.add(key, change.after)
    if (change.is !== 'updated' || !hasSameSpec(change.before, change.after)) queue.addChanged(key)
    else if (hasForeignStatus(change.after) || hasLostRun(change.before, change.after)) queue.add(key)
    else if (hasLostFinalizer(change.before, change.after)) wakeForFinalizer(key)
    // The controller's own status write must not cut short the time that a waiting experiment set.
    else queue.addAfter(key, STATUS_CHANGE_MS)
  })

  wakeOnWorkloads(caches.workloads, { index, onForkChange, referrers, wake, wakeForOwn, wakeLater })

  caches.services.subscribe((change) => {
    traffic.services.update(change)
    // A change of other fields, such as the address of a load balancer, sends no request to another pod.
    if (!isEqual(beforeOf(change), afterOf(change))) wake(index.withForkIn(namespaceOf(change.key)))
  })

  caches.slices.subscribe((change) => {
    traffic.slices.update(change)
    const [namespace, before, after] = [namespaceOf(change.key), beforeOf(change), afterOf(change)]
    if (isEqual(before, after)) return
    const { read, unread } = partedByRead<SliceView>([before, after].filter((slice) => slice !== undefined))
    if (unread.length > 0) return wakeLater(index.withForkIn(namespace)) // of which Service it is, nobody knows
    for (const pod of changedPods(read[0], read[1])) wakeForOwn(index.ofPod(namespace, pod))
    const services = new Set(read.map(({ service }) => service))
    // More endpoints only change numbers, for which a status may have to wait. Fewer may leave a fork alone.
    const onlyNumbers = hasLostNone(before && read[0], after && read.at(-1))
    for (const service of services)
      wakeLater(traffic.followers.take(namespace, service, { onlyNumbers }), onlyNumbers ? shareRestMs : undefined)
  })
  caches.pods?.subscribe((change) => {
    const [keys, before, after] = [index.ofForkOfAnyKind(forkPods.update(change)), beforeOf(change), afterOf(change)]
    // Whether a fork without a gate is ready, its own status says.
    const isUngated = [before, after].every((view) => view === undefined || view.isUngated)
    if (!isEqual(before, after)) wake(isUngated ? index.gated(keys) : keys)
  })
  return { traffic, referrers, forkPods, paced }
}

/** The ways to wake experiments: at once, or as late as what has changed allows. */
function waking(
  queue: Pick<KeyQueue, 'add' | 'addAfter'>,
  { index, timers }: Pick<ExperimentTracking, 'index' | 'timers'>,
) {
  const wake = (keys: Iterable<Key>) => {
    for (const key of keys) queue.add(key)
  }
  const paced = new PacedWakeups(queue, timers)
  /** Soon, if what an experiment may do depends on it; the numbers in the status of the others can wait. */
  const wakeLater = (keys: Iterable<Key>, restMs?: (key: Key) => number) => {
    const { urgent, others } = index.byUrgency(keys)
    for (const key of urgent) queue.addAfter(key, COALESCE_MS)
    paced.wake(others, restMs)
  }
  /** At once, if a run may wait for it. Pod, endpoint and fork of the others change one after the other. */
  const wakeForOwn = (keys: Iterable<Key>) => {
    for (const key of keys)
      if (index.hasRun(key)) queue.add(key)
      else queue.addAfter(key, OWN_CHANGE_MS)
  }
  return { paced, wake, wakeForOwn, wakeLater }
}

/** Wakes an experiment at once to repair it, but ever later if another client undoes each repair. */
function pacedRepairs(queue: Pick<KeyQueue, 'add' | 'addAfter'>, timers: Timers): (key: Key) => void {
  const drift = new DriftBackoff(timers)
  return (key) => {
    const waitMs = drift.waitMs(key)
    drift.noteRepair(key)
    if (waitMs > 0) queue.addAfter(key, waitMs)
    else queue.add(key)
  }
}

interface WorkloadWakeups extends Pick<ExperimentTracking, 'index' | 'onForkChange'>, Pick<Indexes, 'referrers'> {
  readonly wake: (keys: Iterable<Key>) => void
  readonly wakeForOwn: (keys: Iterable<Key>) => void
  readonly wakeLater: (keys: Iterable<Key>) => void
}

/**
 * Makes every change of a workload wake the experiments of which it is the fork, the source, or related to the source.
 */
function wakeOnWorkloads(
  workloads: WatchedCaches['workloads'],
  { index, onForkChange, referrers, wake, wakeForOwn, wakeLater }: WorkloadWakeups,
): void {
  /** The other sources, such as `Deployment/shop/cart`, for whose experiments a change of this workload matters. */
  const related = (kind: WorkloadKind, change: ObjectChange<KubeObject>, isOther: boolean): readonly string[] => {
    const referents = referrers.update(kind, change)
    if (!isOther) return []
    const referring = referrers.of(`${kind.kind}/${change.key}`)
    return [...referents, ...referring.map(workloadName), ...replacedByPrimary(kind, change)]
  }

  /** Wakes the followers of a source. Returns whether it changed in what a fork is derived from. */
  const onSourceChange = (kind: WorkloadKind, change: ObjectChange<KubeObject>): boolean => {
    const followers = index.ofSource(`${kind.kind}/${change.key}`)
    const [before, after] = [beforeOf(change), afterOf(change)]
    const isOther = hasSourceChanged(kind, before, after)
    const isRelabelled = before?.metadata.labels?.[SCALED] !== after?.metadata.labels?.[SCALED]
    if (isOther || isRelabelled) wake(index.newestFirst(followers))
    else wakeLater(followers)
    // The label may be on a copy of the source, which that experiment does not name.
    const scaling = isRelabelled ? [before, after].flatMap((source) => (source && sizeRecordOf(source)) ?? []) : []
    wake(new Set(scaling.flatMap(({ experiment }) => [...index.ofUid(experiment)])).difference(followers))
    return isOther
  }

  for (const { kind, forks, others } of workloads) {
    forks.subscribe((change) => {
      const keys = index.ofFork(`${kind.kind}/${change.key}`)
      if (isOnlyProgress(kind, change)) wakeForOwn(keys)
      else wake(keys)
      wakeLater(onForkChange(kind.kind, change))
      onSourceChange(kind, change)
    })
    others.subscribe((change) => {
      const isOther = onSourceChange(kind, change)
      for (const other of related(kind, change, isOther)) wake(index.ofSource(other))
      // It may take or free the name of a fork.
      wake(index.ofFork(`${kind.kind}/${change.key}`))
    })
  }
}

/** Whether a fork was just created, or Kubernetes only counts how many of its pods have started so far. */
function isOnlyProgress(kind: WorkloadKind, change: ObjectChange<KubeObject>): boolean {
  const [before, after] = [beforeOf(change), afterOf(change)]
  if (!after || after.metadata.deletionTimestamp) return false
  const isStarting = (fork: KubeObject) => forkHealth(kind, fork, new Date(0)).is === 'progressing'
  if (!before) return isStarting(after)
  return isStarting(before) && isStarting(after) && isEqual(withoutStatus(before), withoutStatus(after))
}

function withoutStatus({ status: _status, metadata, ...object }: KubeObject) {
  const { resourceVersion: _version, managedFields = [], ...others } = metadata
  const writers = managedFields.filter(({ subresource }) => subresource !== 'status')
  return { ...object, metadata: { ...others, managedFields: writers } }
}

/** `Deployment/shop/cart` */
const workloadName = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind}/${namespace}/${name}`

/** The source in whose place a workload serves that was added or deleted, if its name is that of a primary. */
function replacedByPrimary({ kind }: WorkloadKind, { is, key }: ObjectChange<KubeObject>): readonly string[] {
  const source = is === 'updated' ? undefined : sourceOfPrimary(key)
  return source === undefined ? [] : [`${kind}/${source}`]
}

/** Whether a source was added or deleted, or changed in what a fork is derived from. */
function hasSourceChanged(kind: WorkloadKind, before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (!before || !after) return true
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    kind.baseFingerprint(before) !== kind.baseFingerprint(after) ||
    isFork(before) !== isFork(after)
  )
}
