import type { ServiceView, SliceView, Traffic } from '../common/workload/services.ts'

/** What a reflector tells of one object. */
interface Told<T> {
  readonly key: string
  readonly before?: T
  readonly after?: T
}

/** Services and EndpointSlices by namespace: a pass looks at its own namespace alone. */
export class TrafficIndex {
  readonly #services = new ByNamespace<ServiceView>()
  readonly #slices = new ByNamespace<SliceView>()

  /** Takes in what became of a Service. */
  service(change: Told<ServiceView>): void {
    this.#services.take(change)
  }

  /** Takes in what became of an EndpointSlice. */
  slice(change: Told<SliceView>): void {
    this.#slices.take(change)
  }

  /** All there is in `namespace`. */
  of(namespace: string): Traffic {
    return { services: this.#services.of(namespace), slices: this.#slices.of(namespace) }
  }
}

/** The pods that are ready before and not after, or the other way round. */
export function changedPods(before: SliceView | undefined, after: SliceView | undefined): ReadonlySet<string> {
  const was = new Set(before?.ready.map(({ pod }) => pod))
  const is = new Set(after?.ready.map(({ pod }) => pod))
  return was.symmetricDifference(is)
}

class ByNamespace<T> {
  readonly #byNamespace = new Map<string, Map<string, T>>()

  take({ key, after }: Told<T>): void {
    const namespace = namespaceOf(key)
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, T>()
    if (after === undefined) objects.delete(key)
    else objects.set(key, after)
    if (objects.size > 0) this.#byNamespace.set(namespace, objects)
    else this.#byNamespace.delete(namespace)
  }

  of(namespace: string): readonly T[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])]
  }
}

/** The first part of `namespace/name`. */
export const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'))
