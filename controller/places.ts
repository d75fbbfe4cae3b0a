import type { KubeObject } from '../common/api/object.ts'
import { type Among, sourceNamespaceOf } from '../common/api/policy.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { forkName, isForkOf } from '../common/workload/identity.ts'
import { replicasOf } from '../common/workload/status.ts'
import type { Interest } from './interest.ts'
import type { Key, Rival, Rivals } from './reconcile/observe.ts'

interface Told<T> {
  readonly key: Key
  readonly before?: T
  readonly after?: T
}

interface PlacesOptions {
  readonly interest: Pick<Interest, 'ofSource' | 'ofHome' | 'sourceOf'>
  readonly experiment: (key: Key) => ExperimentDeployment | undefined
  /** what is labelled as a fork, by kind and `namespace/name` */
  readonly fork: (kind: string, key: string) => KubeObject | undefined
}

/**
 * Who has a place where policies limit how many there may be, and who waits for one. What this process is about to write
 * counts before the caches tell it: two passes never take one place.
 */
export class Places {
  readonly #options: PlacesOptions
  readonly #claims = new Map<string, number>() // uid of the resource to pods
  readonly #waiting = new Set<Key>()
  #version = 0

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** Entries of every map in here; 0 once all experiments came and went. */
  get held(): number {
    return this.#claims.size + this.#waiting.size
  }

  /** Takes in what became of an experiment; answers who may now have the place that it had. */
  experiment({ key, before, after }: Told<ExperimentDeployment>): readonly Key[] {
    if (after && WAITING.has(readyReason(after))) this.#waiting.add(key)
    else this.#waiting.delete(key)
    if (!after && before) this.#claims.delete(before.metadata.uid)
    if (!before || !hasLeft(before, after)) return []
    return [...this.#beside(before, ALL)].filter((other) => this.#waiting.has(other))
  }

  /** The others of its source or of its namespace. The claim of `experiment` itself ends: it is looked at anew. */
  rivalsOf(experiment: ExperimentDeployment, among: Among): Rivals {
    const { uid } = experiment.metadata
    this.#claims.delete(uid)
    const others = [...this.#beside(experiment, among)].flatMap((key): readonly Rival[] => {
      const other = this.#options.experiment(key)
      if (!other || other.metadata.uid === uid) return []
      return [{ experiment: other, replicas: this.#replicasOf(other) }]
    })
    return { others, asOf: this.#version }
  }

  /** Takes a place for the fork of `uid`, with so many pods; false if somebody took one since `asOf`. */
  take(uid: string, replicas: number, asOf: number): boolean {
    if (asOf !== this.#version) return false
    this.#version += 1
    this.#claims.set(uid, replicas)
    return true
  }

  #beside(experiment: ExperimentDeployment, among: Among): ReadonlySet<Key> {
    const { interest } = this.#options
    const ofSource = among.source ? interest.ofSource(interest.sourceOf(experiment)) : NOBODY
    return among.namespace ? ofSource.union(interest.ofHome(experiment.metadata.namespace)) : ofSource
  }

  /** Pods of its fork, present or about to be. Only what is proven to be its own counts: anybody may write labels. */
  #replicasOf(experiment: ExperimentDeployment): number | undefined {
    const { uid } = experiment.metadata
    const { kind, name } = experiment.spec.sourceRef
    const found = this.#options.fork(kind, `${sourceNamespaceOf(experiment)}/${forkName(name, uid)}`)
    const willBe = this.#claims.get(uid)
    return found && isForkOf(experiment, found) ? Math.max(replicasOf(found), willBe ?? 0) : willBe
  }
}

const ALL: Among = { source: true, namespace: true }
const NOBODY: ReadonlySet<Key> = new Set()

/** What ends when another experiment does. */
const WAITING: ReadonlySet<string | undefined> = new Set(['LimitReached', 'PolicyDenied'])

const readyReason = ({ status }: ExperimentDeployment): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.reason

const hasLeft = (before: ExperimentDeployment, after: ExperimentDeployment | undefined): boolean =>
  after === undefined ||
  before.metadata.uid !== after.metadata.uid ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  (readyReason(after) === 'Expired' && readyReason(before) !== 'Expired')
