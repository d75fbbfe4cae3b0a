import { sourceNamespaceOf } from '../common/api/policy.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { forkName } from '../common/workload/identity.ts'
import type { Key } from './reconcile/observe.ts'

/** Which experiments care about which objects, from the experiments alone. */
export class Interest {
  readonly #bySource = new Groups()
  readonly #byFork = new Groups()
  readonly #byNamespace = new Groups()
  readonly #byHome = new Groups()

  /** `key` is there, as `experiment` says. Taking it twice is harmless: what it names is immutable. */
  add(key: Key, experiment: ExperimentDeployment): void {
    for (const [groups, member] of this.#groupsOf(experiment)) groups.add(member, key)
  }

  /** `key` is gone. */
  remove(key: Key, experiment: ExperimentDeployment): void {
    for (const [groups, member] of this.#groupsOf(experiment)) groups.remove(member, key)
  }

  /** Who forks `workload`, `Deployment/shop/cart`. */
  ofSource(workload: string): ReadonlySet<Key> {
    return this.#bySource.of(workload)
  }

  /** Whose fork has, or should have, the name `workload`, `Deployment/shop/cart-experiment-cd1aa1c99c`. */
  ofFork(workload: string): ReadonlySet<Key> {
    return this.#byFork.of(workload)
  }

  /** Whose source and fork are in `namespace`. */
  ofNamespace(namespace: string): ReadonlySet<Key> {
    return this.#byNamespace.of(namespace)
  }

  /** Whose fork the pod `name` in `namespace` may belong to, by its name: `fork-hash-suffix`, or `fork-ordinal`. */
  ofPod(namespace: string, name: string): readonly Key[] {
    const parts = name.split('-')
    return [1, 2].flatMap((tail) => [...this.#byFork.of(`${namespace}/${parts.slice(0, -tail).join('-')}`)])
  }

  /** Who is in `namespace` itself, wherever its source is. */
  ofHome(namespace: string): ReadonlySet<Key> {
    return this.#byHome.of(namespace)
  }

  /** Whether any experiment is in `namespace`, or its source is. */
  isAnyIn(namespace: string): boolean {
    return this.ofNamespace(namespace).size + this.ofHome(namespace).size > 0
  }

  /** The source of `experiment`, `Deployment/shop/cart`. */
  sourceOf(experiment: ExperimentDeployment): string {
    const { kind, name } = experiment.spec.sourceRef
    return `${kind}/${sourceNamespaceOf(experiment)}/${name}`
  }

  #groupsOf(experiment: ExperimentDeployment): readonly (readonly [Groups, string])[] {
    const { kind, name } = experiment.spec.sourceRef
    const namespace = sourceNamespaceOf(experiment)
    const fork = `${namespace}/${forkName(name, experiment.metadata.uid)}`
    return [
      [this.#bySource, this.sourceOf(experiment)],
      [this.#byFork, `${kind}/${fork}`],
      [this.#byFork, fork],
      [this.#byNamespace, namespace],
      [this.#byHome, experiment.metadata.namespace],
    ]
  }
}

const NOBODY: ReadonlySet<Key> = new Set()

class Groups {
  readonly #groups = new Map<string, Set<Key>>()

  add(group: string, key: Key): void {
    const keys = this.#groups.get(group) ?? new Set()
    this.#groups.set(group, keys.add(key))
  }

  remove(group: string, key: Key): void {
    const keys = this.#groups.get(group)
    keys?.delete(key)
    if (keys?.size === 0) this.#groups.delete(group)
  }

  of(group: string): ReadonlySet<Key> {
    return this.#groups.get(group) ?? NOBODY
  }
}
