import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Cancel, Random, Timers } from '../../common/program/clock.ts'
import { isBeingDeleted } from '../../common/workload/identity.ts'
import { type Key, type KeyQueue, keyOf } from '../runtime/queue.ts'

/** Every experiment gets a pass at least this often, so that the effect of a lost event ends. */
const RESYNC_MS = 3_600_000

interface AllExperimentsOptions {
  readonly experiments: Pick<Reflector<ExperimentDeployment>, 'list' | 'get'>
  readonly queue: Pick<KeyQueue, 'add' | 'addAfter'>
  readonly timers: Timers
  readonly random: Random
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

  /** Wakes every experiment once an hour from now on. The passes are spread over the hour at random. */
  startResync(): void {
    const { experiments, queue, timers, random } = this.#options
    for (const experiment of experiments.list()) queue.addAfter(keyOf(experiment), RESYNC_MS * random())
    this.#cancelResync = timers.after(RESYNC_MS, () => this.startResync())
  }

  /** Ends what `startResync` started. */
  stopResync(): void {
    this.#cancelResync()
  }
}
