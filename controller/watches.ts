import { isEqual } from '../common/api/equal.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { hasForkLabel, isExperiment } from '../common/workload/identity.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import type { ServiceView, SliceView } from '../common/workload/services.ts'
import { Interest } from './interest.ts'
import { Places } from './places.ts'
import type { Key } from './reconcile/observe.ts'
import { changedPods, namespaceOf, TrafficIndex } from './traffic.ts'

/** What a reflector tells its subscribers of one object. */
export interface Told<T> {
  readonly is: 'added' | 'updated' | 'deleted'
  /** `namespace/name` */
  readonly key: string
  readonly before?: T
  readonly after?: T
}

/** A reflector, as far as those who listen care. */
export interface View<T> {
  get(key: string): T | undefined
  subscribe(handler: (change: Told<T>) => void): void
}

/** Both views of one kind of workload. */
export interface WorkloadViews {
  readonly kind: WorkloadKind
  /** whole, by the label of forks */
  readonly forks: View<KubeObject>
  /** everything of the kind, metadata only */
  readonly all: View<KubeObject>
}

export interface Views {
  readonly experiments: View<ExperimentDeployment>
  readonly workloads: readonly WorkloadViews[]
  readonly services: View<ServiceView>
  readonly slices: View<SliceView>
}

/** What is known of the views together. */
export interface Indexes {
  readonly traffic: TrafficIndex
  readonly places: Places
  readonly interest: Pick<Interest, 'isAnyIn'>
}

/** Where keys go that want a look. */
export interface Wake {
  add(key: Key): void
  addAfter(key: Key, delayMs: number): void
  forget(key: Key): void
}

/**
 * Many changes of a neighbour are worth one look: a rolling update of a large source, or of the other pods of a
 * Service, would storm all followers.
 */
export const FOLD_MS = 5_000

/** A status that somebody else wrote is put right within this. */
const ECHO_MS = 60_000

/** Whether an experiment changed in nothing that a user says: its status, labels or annotations. */
const isEcho = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  before.generation === after.generation && before.deletionTimestamp === after.deletionTimestamp

/** Lets every change in `views` wake the experiments that it may matter to; answers what the passes look up. */
export function connect(views: Views, queue: Wake): Indexes {
  const interest = new Interest()
  const traffic = new TrafficIndex()
  const forks = new Map(views.workloads.map(({ kind, forks }) => [kind.kind, forks]))
  const places = new Places({
    interest,
    experiment: (key) => views.experiments.get(key),
    fork: (kind, key) => forks.get(kind)?.get(key),
  })
  const wake = (keys: Iterable<Key>) => {
    for (const key of keys) queue.add(key)
  }
  const fold = (keys: Iterable<Key>) => {
    for (const key of keys) queue.addAfter(key, FOLD_MS)
  }

  views.experiments.subscribe((change) => {
    const { key, before, after } = change
    wake(places.experiment(change))
    if (before && !after) {
      interest.remove(key, before)
      queue.forget(key)
    } else if (after) {
      interest.add(key, after)
      // what waits has a time of its own: the echo of our own status must not cut it short
      if (before && isEcho(before, after)) queue.addAfter(key, ECHO_MS)
      else queue.add(key)
    }
  })

  for (const { kind, forks, all } of views.workloads) {
    forks.subscribe(({ key }) => wake(interest.ofFork(`${kind.kind}/${key}`)))
    all.subscribe(({ key, before, after }) => {
      const name = `${kind.kind}/${key}`
      const followers = interest.ofSource(name)
      if (isWorthALook(kind, before, after)) wake(followers)
      else fold(followers)
      // a foreign object that takes or frees the name of a fork; the fork itself is seen by its own view
      if ([before, after].some((object) => object && !hasForkLabel(object))) wake(interest.ofFork(name))
    })
  }

  views.services.subscribe((change) => {
    traffic.service(change)
    const { key, before, after } = change
    // a load balancer's address, for one, moves no request between pods
    if (!isEqual(before, after)) wake(interest.ofNamespace(namespaceOf(key)))
  })

  views.slices.subscribe((change) => {
    traffic.slice(change)
    const { key, before, after } = change
    const namespace = namespaceOf(key)
    for (const pod of changedPods(before, after)) wake(interest.ofPod(namespace, pod))
    fold(interest.ofNamespace(namespace))
  })
  return { traffic, places, interest }
}

/** Whether a source came, went or changed in what a fork is derived from. */
function isWorthALook(kind: WorkloadKind, before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (!before || !after) return true
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    kind.pulse(before) !== kind.pulse(after) ||
    isExperiment(before) !== isExperiment(after)
  )
}
