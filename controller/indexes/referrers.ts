import type { KubeObject } from '../../common/api/object.ts'
import { afterOf, beforeOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'

const NONE: ReadonlyMap<string, KubeObject> = new Map()

/** The workloads that take their template from another object, by the object that they name. */
export class Referrers {
  readonly #byReferent = new Map<string, Map<string, KubeObject>>()

  /** How many objects are named. For tests. */
  get size(): number {
    return this.#byReferent.size
  }

  /**
   * Follows one change of a workload. Returns the objects that it named before or names now: `Deployment/shop/cart`.
   */
  update(kind: WorkloadKind, change: ObjectChange<KubeObject>): readonly string[] {
    const [before, after] = [beforeOf(change), afterOf(change)]
    const id = `${kind.kind}/${change.key}`
    const was = before && referentOf(kind, before)
    const is = after && referentOf(kind, after)
    if (was !== undefined) this.#remove(was, id)
    if (is !== undefined) this.#byReferent.set(is, (this.#byReferent.get(is) ?? new Map()).set(id, after))
    return [...new Set([was, is])].filter((referent) => referent !== undefined)
  }

  /** The workloads that take their template from `referent`, such as `Deployment/shop/cart`. */
  of(referent: string): readonly KubeObject[] {
    return [...(this.#byReferent.get(referent) ?? NONE).values()]
  }

  #remove(referent: string, id: string): void {
    const referring = this.#byReferent.get(referent)
    referring?.delete(id)
    if (referring?.size === 0) this.#byReferent.delete(referent)
  }
}

function referentOf(kind: WorkloadKind, workload: KubeObject): string | undefined {
  const referent = kind.refersTo?.(workload)
  return referent && `${referent.resource.kind}/${workload.metadata.namespace}/${referent.name}`
}
