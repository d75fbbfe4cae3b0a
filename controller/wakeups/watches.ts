import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { isEqual } from '../../common/json/json.ts'
import type { Handler } from '../../common/kube/watch/reflector.ts'
import { afterOf, beforeOf, type Change } from '../../common/kube/watch/store.ts'
import type { ServiceView, SliceView } from '../../common/surroundings/traffic.ts'
import { hasForeignStatus, hasForkLabel, isFork } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { changedPods, namespaceOf, TrafficIndex } from '../observe/traffic.ts'
import type { Key, KeyQueue } from '../runtime/queue.ts'
import type { ExperimentIndex } from './experiment-index.ts'

/** A cache that reports its changes; a `Reflector` is one. */
interface WatchedObjects<T> {
  subscribe(handler: Handler<T>): unknown
}

/** The caches whose changes wake experiments. */
interface WatchedCaches {
  readonly experiments: WatchedObjects<ExperimentDeployment>
  readonly workloads: readonly (Record<'forks' | 'all', WatchedObjects<KubeObject>> & { readonly kind: WorkloadKind })[]
  readonly services: WatchedObjects<ServiceView>
  readonly slices: WatchedObjects<SliceView>
}

/** What follows the changes of experiments. */
interface ExperimentTracking {
  readonly index: ExperimentIndex
  /** returns the experiments that may take the place that the changed one left under a limit */
  readonly onExperimentChange: (change: Change<ExperimentDeployment>) => readonly Key[]
}

/**
 * Milliseconds within which many changes of a neighbour cause one pass. Otherwise a rolling update of a large source, or
 * of the other pods of a Service, would cause a pass of every follower for every pod.
 */
export const COALESCE_MS = 5_000

/** A status that another client wrote under the name of the controller is corrected within this time. */
const STATUS_CHANGE_MS = 60_000

/** Whether only the status, the labels or the annotations of an experiment changed, not its spec. */
const hasSameSpec = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  before.generation === after.generation && before.deletionTimestamp === after.deletionTimestamp

/** Makes every change in `caches` wake the experiments that it may concern. Returns the index that passes read. */
export function wakeOnChanges(
  caches: WatchedCaches,
  queue: Pick<KeyQueue, 'add' | 'addAfter' | 'addChanged' | 'forget'>,
  { index, onExperimentChange }: ExperimentTracking,
): TrafficIndex {
  const traffic = new TrafficIndex()
  const wake = (keys: Iterable<Key>) => {
    for (const key of keys) queue.add(key)
  }
  const wakeCoalesced = (keys: Iterable<Key>) => {
    for (const key of keys) queue.addAfter(key, COALESCE_MS)
  }

  caches.experiments.subscribe((change) => {
    const { key } = change
    wake(onExperimentChange(change))
    if (change.is === 'deleted') {
      index.remove(key, change.before)
      queue.forget(key)
      return
    }
    index.add(key, change.after)
    if (change.is !== 'updated' || !hasSameSpec(change.before, change.after)) queue.addChanged(key)
    else if (hasForeignStatus(change.after)) queue.add(key)
    // The controller's own status write must not cut short the time that a waiting experiment set.
    else queue.addAfter(key, STATUS_CHANGE_MS)
  })

  for (const { kind, forks, all } of caches.workloads) {
    forks.subscribe(({ key }) => wake(index.ofFork(`${kind.kind}/${key}`)))
    all.subscribe((change) => {
      const [before, after] = [beforeOf(change), afterOf(change)]
      const name = `${kind.kind}/${change.key}`
      const followers = index.ofSource(name)
      if (hasSourceChanged(kind, before, after)) wake(followers)
      else wakeCoalesced(followers)
      // Another object that takes or frees the name of a fork. The fork itself is in the other cache.
      if ([before, after].some((object) => object && !hasForkLabel(object))) wake(index.ofFork(name))
    })
  }

  caches.services.subscribe((change) => {
    traffic.services.update(change)
    // A change of other fields, such as the address of a load balancer, sends no request to another pod.
    if (!isEqual(beforeOf(change), afterOf(change))) wake(index.withForkIn(namespaceOf(change.key)))
  })

  caches.slices.subscribe((change) => {
    traffic.slices.update(change)
    const namespace = namespaceOf(change.key)
    for (const pod of changedPods(beforeOf(change), afterOf(change))) wake(index.ofPod(namespace, pod))
    wakeCoalesced(index.withForkIn(namespace))
  })
  return traffic
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
