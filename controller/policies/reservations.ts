import { sourceNamespaceOf, withDefaults } from '../../common/api/defaults.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { OtherExperiment } from '../../common/facts/facts.ts'
import { afterOf, beforeOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { Reservation } from '../../common/outcome/conclusion.ts'
import { countedReplicas } from '../../common/policy/counted-replicas.ts'
import type { CountScope } from '../../common/policy/policy.ts'
import { lastPassOf } from '../../common/situation/last-pass.ts'
import {
  forkName,
  hasOwnerReference,
  isBeingDeleted,
  isForkOf,
  isUnreadForkOf,
} from '../../common/workload/identity.ts'
import { replicasOf } from '../../common/workload/status.ts'
import type { ExperimentIndex } from '../indexes/experiment-index.ts'
import type { OtherExperiments } from '../observe/ports.ts'
import { type Key, keyOf } from '../runtime/queue.ts'

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
  /** experiments that are gone, while their forks are not, by the place of the fork */
  readonly #left = new Map<string, ExperimentDeployment>()
  #version = 0

  constructor(options: ReservationsOptions) {
    this.#options = options
  }

  /** How many entries all its maps have; 0 when all experiments are gone. For tests. */
  get entryCount(): number {
    return this.#reserved.size + this.#waiting.size + this.#left.size
  }

  /** Follows one change of an experiment. Returns the waiting experiments that may take the place that it left. */
  experimentChanged(change: ObjectChange<ExperimentDeployment>): readonly Key[] {
    const { key } = change
    const [before, after] = [beforeOf(change), afterOf(change)]
    if (after && lastPassOf(after.status).waitsForAnother) this.#waiting.add(key)
    else this.#waiting.delete(key)
    if (before && after?.metadata.uid !== before.metadata.uid) this.#isGone(before)
    if (!before || !hasLeft(before, after)) return []
    return this.#waitingBeside(before)
  }

  /** Until garbage collection, or the controller, has taken its fork away, an experiment that is gone still counts. */
  #isGone(experiment: ExperimentDeployment): void {
    this.#reserved.delete(experiment.metadata.uid)
    for (const [place, gone] of this.#left) if (!this.#forkLeftBy(gone)) this.#left.delete(place)
    if (this.#forkLeftBy(experiment)) this.#left.set(placeOf(experiment), experiment)
  }

  /** The fork of an experiment that is gone, unless somebody has orphaned it. */
  #forkLeftBy(experiment: ExperimentDeployment): KubeObject | undefined {
    const found = this.#forkOf(experiment)
    return found && (isBeingDeleted(found) || hasOwnerReference(experiment, found)) ? found : undefined
  }

  #waitingBeside(experiment: ExperimentDeployment): readonly Key[] {
    return [...this.#keysIn(experiment, EVERY_SCOPE)].filter((other) => this.#waiting.has(other))
  }

  /**
   * Follows one change of a fork. Returns the other experiments of its source if the fork has another number of pods
   * now, which count for their limits although no endpoint has changed yet. If it outlived its experiment, those that
   * wait may take its place.
   */
  forkChanged(kind: string, change: ObjectChange<KubeObject>): readonly Key[] {
    const [before, after] = [beforeOf(change), afterOf(change)]
    const left = this.#left.get(`${kind}/${change.key}`)
    if (left && !after) {
      this.#left.delete(`${kind}/${change.key}`)
      return this.#waitingBeside(left)
    }
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
    return { others: [...others, ...this.#leftIn(experiment, scope)], asOf: this.#version }
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

  /** The experiments in `scope` that are gone, and whose forks are not. */
  #leftIn(experiment: ExperimentDeployment, scope: CountScope): readonly OtherExperiment[] {
    const { sourceOf } = this.#options.index
    return [...this.#left.values()].flatMap((gone) => {
      const isOfSource = scope.source && sourceOf(gone) === sourceOf(experiment)
      const isInNamespace = scope.namespace && gone.metadata.namespace === experiment.metadata.namespace
      const fork = isOfSource || isInNamespace ? this.#forkLeftBy(gone) : undefined
      return fork ? [{ experiment: gone, replicas: replicasOf(fork) }] : []
    })
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
    const { fork } = this.#options
    const [found, reserved] = [fork(...kindAndKey(experiment)), this.#reserved.get(experiment.metadata.uid)]
    if (found && isUnreadForkOf(experiment, found))
      return countedReplicas(withDefaults(experiment.spec).replicas, reserved)
    return countedReplicas(found && isForkOf(experiment, found) ? replicasOf(found) : undefined, reserved)
  }

  #forkOf(experiment: ExperimentDeployment): KubeObject | undefined {
    const found = this.#options.fork(...kindAndKey(experiment))
    return found && isForkOf(experiment, found) ? found : undefined
  }
}

/** Where the fork of an experiment is. */
const kindAndKey = (experiment: ExperimentDeployment) => {
  const { kind, name } = experiment.spec.sourceRef
  return [kind, `${sourceNamespaceOf(experiment)}/${forkName(name, experiment.metadata.uid)}`] as const
}

const placeOf = (experiment: ExperimentDeployment): string => kindAndKey(experiment).join('/')

const EVERY_SCOPE: CountScope = { source: true, namespace: true }
const NO_KEYS: ReadonlySet<Key> = new Set()

/** Whether the experiment no longer takes a place: it is gone, replaced or being deleted, or its fork expired too. */
const hasLeft = (before: ExperimentDeployment, after: ExperimentDeployment | undefined): boolean =>
  after === undefined ||
  before.metadata.uid !== after.metadata.uid ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  (isOver(after) && !isOver(before))

const isOver = ({ status }: ExperimentDeployment): boolean =>
  lastPassOf(status).isOver && status?.experimentResourceRef === undefined
