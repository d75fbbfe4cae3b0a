import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { lastPassOf } from '../../common/situation/last-pass.ts'
import { strategyRunSpec } from '../../common/strategy/run-spec.ts'
import { forkName, twinName } from '../../common/workload/identity.ts'
import type { Key } from '../runtime/queue.ts'

/** What is kept of an experiment. */
interface Known {
  readonly creationTimestamp: string
  readonly isUrgent: boolean
  readonly hasRun: boolean
  readonly isGated: boolean
}

/** Whether it waits for a place under a limit, or would be alone behind a Service. */
function dependsOnOthers({ status }: ExperimentDeployment): boolean {
  return lastPassOf(status).waitsForAnother || status?.aloneSince !== undefined
}

const NO_KEYS: ReadonlySet<Key> = new Set()

/** Finds the experiments that an object concerns. It is computed from the experiments alone. */
export class ExperimentIndex {
  readonly #keys = new Map<string, Set<Key>>() // by what they have in common
  readonly #experiments = new Map<Key, Known>()

  /** Adds an experiment, or follows its change. Its `sourceRef` is immutable. */
  add(key: Key, experiment: ExperimentDeployment): void {
    const { creationTimestamp = '' } = experiment.metadata
    const run = strategyRunSpec(experiment.spec)
    const [isGated, isUrgent] = [run?.isGated === true, dependsOnOthers(experiment)]
    this.#experiments.set(key, { creationTimestamp, isUrgent, hasRun: run !== undefined, isGated })
    for (const group of this.#groupsOf(experiment)) this.#keys.set(group, (this.#keys.get(group) ?? new Set()).add(key))
  }

  /** Removes an experiment that is gone. */
  remove(key: Key, experiment: ExperimentDeployment): void {
    this.#experiments.delete(key)
    for (const group of this.#groupsOf(experiment)) {
      const keys = this.#keys.get(group)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(group)
    }
  }

  /** How many entries its maps have; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#keys.size + this.#experiments.size
  }

  /** Whether there is such an experiment. */
  has(key: Key): boolean {
    return this.#experiments.has(key)
  }

  /** The experiments whose source is `workload`, such as `Deployment/shop/cart`. */
  ofSource(workload: string): ReadonlySet<Key> {
    return this.#of(`source ${workload}`)
  }

  /** The experiment with this uid, as a set of one; empty if there is none. */
  ofUid(uid: string): ReadonlySet<Key> {
    return this.#of(`uid ${uid}`)
  }

  /** The experiments whose fork or twin has this name: `Deployment/shop/cart-experiment-cd1aa1c99c`. It may be gone. */
  ofFork(workload: string): ReadonlySet<Key> {
    return this.#of(`fork ${workload}`)
  }

  /** Whether there is an experiment whose fork or twin has the kind, the namespace and the name of `object`. */
  hasFork(kind: string, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
    return this.ofFork(`${kind}/${metadata.namespace}/${metadata.name}`).size > 0
  }

  /** As `ofFork`, for a fork of any kind: `shop/cart-experiment-cd1aa1c99c`. */
  ofForkOfAnyKind(fork: string): ReadonlySet<Key> {
    return this.#of(`fork of any kind ${fork}`)
  }

  /** Whether the experiment has a run, whose steps may wait for what its fork and its Services have. */
  hasRun(key: Key): boolean {
    return this.#experiments.get(key)?.hasRun === true
  }

  /** Those of `keys` whose forks should have a gate. */
  gated(keys: Iterable<Key>): readonly Key[] {
    return [...keys].filter((key) => this.#experiments.get(key)?.isGated === true)
  }

  /** The experiments whose source and fork are in `namespace`. */
  withForkIn(namespace: string): ReadonlySet<Key> {
    return this.#of(`fork in ${namespace}`)
  }

  /** The experiments to whose fork a pod may belong by its name: `<fork>-<hash>-<suffix>` or `<fork>-<ordinal>`. */
  ofPod(namespace: string, name: string): readonly Key[] {
    const parts = name.split('-')
    return [1, 2].flatMap((tail) => [...this.#of(`fork of any kind ${namespace}/${parts.slice(0, -tail).join('-')}`)])
  }

  /** The experiments that are in `namespace` themselves; their source may be elsewhere. */
  inNamespace(namespace: string): ReadonlySet<Key> {
    return this.#of(`in ${namespace}`)
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

  /**
   * Those of `keys` whose pods depend on the pods of others, and the rest, the newest first.
   */
  byUrgency(keys: Iterable<Key>) {
    const all = [...keys]
    const isUrgent = (key: Key) => this.#experiments.get(key)?.isUrgent === true
    const others = all.filter((key) => !isUrgent(key))
    return {
      urgent: all.filter(isUrgent),
      others: this.newestFirst(others),
    }
  }

  /** These experiments, the newest first: their authors may be watching. */
  newestFirst(keys: Iterable<Key>): readonly Key[] {
    const createdAt = (key: Key) => this.#experiments.get(key)?.creationTimestamp ?? ''
    return [...keys].sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : createdAt(a) > createdAt(b) ? -1 : 0))
  }

  #of(group: string): ReadonlySet<Key> {
    return this.#keys.get(group) ?? NO_KEYS
  }

  #groupsOf(experiment: ExperimentDeployment): readonly string[] {
    const { kind, name } = experiment.spec.sourceRef
    const namespace = sourceNamespaceOf(experiment)
    const fork = `${namespace}/${forkName(name, experiment.metadata.uid)}`
    return [
      `source ${this.sourceOf(experiment)}`,
      `uid ${experiment.metadata.uid}`,
      `fork ${kind}/${fork}`,
      `fork ${kind}/${namespace}/${twinName(experiment)}`,
      `fork of any kind ${fork}`,
      `fork in ${namespace}`,
      `in ${experiment.metadata.namespace}`,
    ]
  }
}
