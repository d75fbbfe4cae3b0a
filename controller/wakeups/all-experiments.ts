import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { sha256Of } from '../../common/json/canonical.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Cancel, Timers } from '../../common/program/clock.ts'
import { isBeingDeleted } from '../../common/workload/identity.ts'
import { type Key, type KeyQueue, keyOf } from '../runtime/queue.ts'

/** Every experiment gets a pass at least this often, so that the effect of a lost event ends. */
const RESYNC_MS = 3_600_000

/** How many turns there are in that time. Each wakes a part of the experiments, so that not all have a pass at once. */
const TURNS = 60

interface AllExperimentsOptions {
  readonly experiments: Pick<Reflector<ExperimentDeployment>, 'list' | 'get'>
  readonly queue: Pick<KeyQueue, 'add'>
  readonly timers: Timers
}

/** Wakes experiments for reasons that concern many of them. */
export class AllExperiments {
  readonly #options: AllExperimentsOptions
  #cancelResync: Cancel = () => undefined

  constructor(options: AllExperimentsOptions) {
    this.#options = options
  }

  /** The keys of the experiments that are not being deleted. */
  get activeKeys(): readonly Key[] {
    return this.#options.experiments
      .list()
      .filter((experiment) => !isBeingDeleted(experiment))
      .map(keyOf)
  }

  /** Whether there is such an experiment that is not being deleted. */
  isActive(key: Key): boolean {
    const experiment = this.#options.experiments.get(key)
    return experiment !== undefined && !isBeingDeleted(experiment)
  }

  /** Wakes all experiments, or only those that are in `namespace` or have their source there. */
  wake(namespace?: string): void {
    const { experiments, queue } = this.#options
    for (const experiment of experiments.list()) {
      const namespaces = [undefined, experiment.metadata.namespace, sourceNamespaceOf(experiment)]
      if (namespaces.includes(namespace)) queue.add(keyOf(experiment))
    }
  }

  /** Wakes every experiment once an hour from now on. The passes are spread over the hour. */
  startResync(): void {
    this.#resyncFrom(0)
  }

  /** Ends what `startResync` started. */
  stopResync(): void {
    this.#cancelResync()
  }

  #resyncFrom(turn: number): void {
    const { experiments, queue, timers } = this.#options
    this.#cancelResync = timers.after(RESYNC_MS / TURNS, () => {
      for (const key of experiments.list().map(keyOf)) if (turnOf(key) === turn) queue.add(key)
      this.#resyncFrom((turn + 1) % TURNS)
    })
  }
}

/** In which turn a key is woken: always in the same one, or else two hours could lie between two passes. */
const turnOf = (key: Key): number => Number.parseInt(sha256Of(key, 8), 16) % TURNS
