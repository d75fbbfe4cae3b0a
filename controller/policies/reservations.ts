import { readyOf, waitsForAnother } from '../../common/api/conditions.ts'
import { sourceNamespaceOf, withDefaults } from '../../common/api/defaults.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Reservation } from '../../common/conclusion/conclusion.ts'
import type { OtherExperiment } from '../../common/facts/facts.ts'
import { afterOf, beforeOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import { countedReplicas } from '../../common/policy/counted-replicas.ts'
import type { CountScope } from '../../common/policy/policy.ts'
import { forkName, isForkOf, isUnreadForkOf } from '../../common/workload/identity.ts'
import { replicasOf } from '../../common/workload/status.ts'
import type { OtherExperiments } from '../observe/ports.ts'
import { type Key, keyOf } from '../runtime/queue.ts'
import type { ExperimentIndex } from '../wakeups/experiment-index.ts'

interface ReservationsOptions {
  readonly index: Pick<ExperimentIndex, 'ofFork' | 'ofSource' | 'inNamespace' | 'sourceOf'>
  readonly experiment: (key: Key) => ExperimentDeployment | undefined
  /** the object with the label of forks, by kind and `namespace/name` */
  readonly fork: (kind: string, key: string) => KubeObject | undefined
}

/**
 * Counts the experiments that have a place under a policy's limit, and knows those that wait for one. A fork that this
 * process is about to write counts before the caches have it, so that two passes never take the same place.
 */
export class Reservations {
  readonly #options: ReservationsOptions
  readonly #reserved = new Map<string, number>() // uid of the experiment to replicas
  readonly #waiting = new Set<Key>()
  #version = 0

  constructor(options: ReservationsOptions) {
    this.#options = options
  }

  /** How many entries all its maps have; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#reserved.size + this.#waiting.size
  }

  /** Follows one change of an experiment. Returns the waiting experiments that may take the place that it left. */
  experimentChanged(change: ObjectChange<ExperimentDeployment>): readonly Key[] {
    const { key } = change
    const [before, after] = [beforeOf(change), afterOf(change)]
    if (after && waitsForAnother(after.status)) this.#waiting.add(key)
    else this.#waiting.delete(key)
    if (!after && before) this.#reserved.delete(before.metadata.uid)
    if (!before || !hasLeft(before, after)) return []
    return [...this.#keysIn(before, EVERY_SCOPE)].filter((other) => this.#waiting.has(other))
  }

  /**
   * Follows one change of a fork. Returns the other experiments of its source if the fork has another number of pods
   * now, which count for their limits although no endpoint has changed yet.
   */
  forkChanged(kind: string, change: ObjectChange<KubeObject>): readonly Key[] {
    const [before, after] = [beforeOf(change), afterOf(change)]
    if (before && after && replicasOf(before) === replicasOf(after)) return []
    const { index, experiment } = this.#options
    return [...index.ofFork(`${kind}/${change.key}`)].flatMap((key) => {
      const of = experiment(key)
      return of ? [...index.ofSource(index.sourceOf(of))].filter((other) => other !== key) : []
    })
  }

  /** The other experiments in `scope`. Ends the reservation of `experiment` itself, because its pass decides again. */
  othersOf(experiment: ExperimentDeployment, scope: CountScope): OtherExperiments {
    const { uid } = experiment.metadata
    this.#reserved.delete(uid)
    const others = [...this.#keysIn(experiment, scope)].flatMap((key): readonly OtherExperiment[] => {
      const other = this.#options.experiment(key)
      if (!other || other.metadata.uid === uid) return []
      return [{ experiment: other, replicas: this.#replicasOf(other) }]
    })
    return { others, asOf: this.#version }
  }

  /**
   * Reserves a place for `experiment`; false if another reservation was made since `asOf`, or if the experiment was
   * deleted during its pass: nobody would end its reservation.
   */
  reserve({ metadata }: Pick<ExperimentDeployment, 'metadata'>, { replicas, asOf }: Reservation): boolean {
    const { uid } = metadata
    if (asOf !== this.#version || this.#options.experiment(keyOf({ metadata }))?.metadata.uid !== uid) return false
    this.#version += 1
    this.#reserved.set(uid, replicas)
    return true
  }

  /** The keys of all experiments in `scope` around `experiment`, its own included. */
  #keysIn(experiment: ExperimentDeployment, scope: CountScope): ReadonlySet<Key> {
    const { index } = this.#options
    const ofSource = scope.source ? index.ofSource(index.sourceOf(experiment)) : NO_KEYS
    return scope.namespace ? ofSource.union(index.inNamespace(experiment.metadata.namespace)) : ofSource
  }

  /**
   * The pods of `experiment` that count. Anybody may write labels, so they prove no fork. One that is too large to be
   * read counts as it is wanted.
   */
  #replicasOf(experiment: ExperimentDeployment): number | undefined {
    const { uid } = experiment.metadata
    const { kind, name } = experiment.spec.sourceRef
    const found = this.#options.fork(kind, `${sourceNamespaceOf(experiment)}/${forkName(name, uid)}`)
    const reserved = this.#reserved.get(uid)
    if (found && isUnreadForkOf(experiment, found))
      return countedReplicas(withDefaults(experiment.spec).replicas, reserved)
    return countedReplicas(found && isForkOf(experiment, found) ? replicasOf(found) : undefined, reserved)
  }
}

const EVERY_SCOPE: CountScope = { source: true, namespace: true }
const NO_KEYS: ReadonlySet<Key> = new Set()

/** Whether the experiment no longer takes a place: it is gone, replaced, being deleted or expired. */
const hasLeft = (before: ExperimentDeployment, after: ExperimentDeployment | undefined): boolean =>
  after === undefined ||
  before.metadata.uid !== after.metadata.uid ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  (readyOf(after.status)?.reason === 'Expired' && readyOf(before.status)?.reason !== 'Expired')
