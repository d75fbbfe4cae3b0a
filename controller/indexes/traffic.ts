import { partedByRead, type UnreadView } from '../../common/api/object.ts'
import { afterOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { ServiceView, SliceView, TrafficView } from '../../common/surroundings/traffic.ts'
import { namespaceOf } from '../runtime/fair-line.ts'
import type { Key } from '../runtime/queue.ts'
import { ServiceFollowers } from './service-followers.ts'

/**
 * The Services and EndpointSlices by namespace, because a pass reads those of one namespace only, and who follows them.
 */
export class TrafficIndex {
  readonly services = new ByNamespace<ServiceView>()
  readonly slices = new ByNamespace<SliceView>()
  readonly followers: ServiceFollowers

  /** @param isKnown whether there is an experiment of this key */
  constructor(isKnown: (key: Key) => boolean) {
    this.followers = new ServiceFollowers(isKnown)
  }

  /** How many entries its maps have; 0 when all experiments, Services and EndpointSlices are gone. For tests. */
  get entryCount(): number {
    return this.services.entryCount + this.slices.entryCount + this.followers.entryCount
  }

  /** What a pass over `key` reads. Until the pass says which Services it follows, it follows all of the namespace. */
  readFor(key: Key, namespace: string): TrafficView {
    this.followers.followAll(key, namespace)
    return this.of(namespace)
  }

  /** All Services and EndpointSlices of `namespace`. */
  of(namespace: string): TrafficView {
    const [services, slices] = [this.services.of(namespace), this.slices.of(namespace)]
    const unread = [...services.unread, ...slices.unread]
    return { services: services.read, slices: slices.read, ...(unread.length > 0 ? { unread } : {}) }
  }
}

/** The names of the pods that became ready or stopped being ready. */
export const changedPods = (before: SliceView | undefined, after: SliceView | undefined): ReadonlySet<string> =>
  podsIn(before).symmetricDifference(podsIn(after))

/** The endpoints that `after` has no more: pods, or addresses that are of no pod. */
export const lostEndpoints = (before: SliceView, after: SliceView): ReadonlySet<string> =>
  endpointsIn(before).difference(endpointsIn(after))

const podsIn = (slice: SliceView | undefined) => new Set(slice?.ready.flatMap(({ pod }) => pod ?? []))
const endpointsIn = ({ ready }: SliceView) => new Set(ready.map(({ pod, address }) => pod ?? address))

type Parted<T> = { readonly read: readonly T[]; readonly unread: readonly UnreadView[] }

const NOTHING = { read: [], unread: [] } as const

class ByNamespace<T extends object> {
  readonly #byNamespace = new Map<string, Map<string, T | UnreadView>>()
  /** the same lists until the next change, since what is computed from them is kept with them */
  readonly #lists = new Map<string, Parted<T>>()

  get entryCount(): number {
    return this.#byNamespace.size + this.#lists.size
  }

  /** Follows one change of an object. */
  update(change: ObjectChange<T | UnreadView>): void {
    const { key } = change
    const after = afterOf(change)
    const namespace = namespaceOf(key)
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, T | UnreadView>()
    if (after === undefined) objects.delete(key)
    else objects.set(key, after)
    this.#lists.delete(namespace)
    if (objects.size > 0) this.#byNamespace.set(namespace, objects)
    else this.#byNamespace.delete(namespace)
  }

  /** All objects that were read, with their namespaces. */
  *entries(): Iterable<readonly [namespace: string, object: T]> {
    for (const [namespace, objects] of this.#byNamespace)
      for (const object of partedByRead<T>([...objects.values()]).read) yield [namespace, object]
  }

  of(namespace: string): Parted<T> {
    const objects = this.#byNamespace.get(namespace)
    if (!objects) return NOTHING
    const list = this.#lists.get(namespace) ?? partedByRead<T>([...objects.values()])
    this.#lists.set(namespace, list)
    return list
  }
}
