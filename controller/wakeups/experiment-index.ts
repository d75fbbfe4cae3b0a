import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { forkName } from '../../common/workload/identity.ts'
import type { Key } from '../runtime/queue.ts'

/** Finds the experiments that an object concerns. It is computed from the experiments alone. */
export class ExperimentIndex {
  readonly #bySource = new Groups()
  readonly #byFork = new Groups()
  readonly #byForkNamespace = new Groups()
  readonly #byOwnNamespace = new Groups()

  /** Adds an experiment. Adding it twice is harmless, because its `sourceRef` is immutable. */
  add(key: Key, experiment: ExperimentDeployment): void {
    for (const [groups, member] of this.#groupsOf(experiment)) groups.add(member, key)
  }

  /** Removes an experiment that is gone. */
  remove(key: Key, experiment: ExperimentDeployment): void {
    for (const [groups, member] of this.#groupsOf(experiment)) groups.remove(member, key)
  }

  /** The experiments whose source is `workload`, such as `Deployment/shop/cart`. */
  ofSource(workload: string): ReadonlySet<Key> {
    return this.#bySource.of(workload)
  }

  /** The experiments whose fork has this name: `Deployment/shop/cart-experiment-cd1aa1c99c`. It need not exist yet. */
  ofFork(workload: string): ReadonlySet<Key> {
    return this.#byFork.of(workload)
  }

  /** The experiments whose source and fork are in `namespace`. */
  withForkIn(namespace: string): ReadonlySet<Key> {
    return this.#byForkNamespace.of(namespace)
  }

  /** The experiments to whose fork a pod may belong by its name: `<fork>-<hash>-<suffix>` or `<fork>-<ordinal>`. */
  ofPod(namespace: string, name: string): readonly Key[] {
    const parts = name.split('-')
    return [1, 2].flatMap((tail) => [...this.#byFork.of(`${namespace}/${parts.slice(0, -tail).join('-')}`)])
  }

  /** The experiments that are in `namespace` themselves; their source may be elsewhere. */
  inNamespace(namespace: string): ReadonlySet<Key> {
    return this.#byOwnNamespace.of(namespace)
  }

  /** Whether an experiment or the source of one is in `namespace`. */
  isUsedNamespace(namespace: string): boolean {
    return this.withForkIn(namespace).size + this.inNamespace(namespace).size > 0
  }

  /** The source of `experiment` as a key for `ofSource`: `Deployment/shop/cart`. */
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
      [this.#byForkNamespace, namespace],
      [this.#byOwnNamespace, experiment.metadata.namespace],
    ]
  }
}

const NO_KEYS: ReadonlySet<Key> = new Set()

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
    return this.#groups.get(group) ?? NO_KEYS
  }
}
