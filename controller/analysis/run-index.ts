import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import { afterOf, beforeOf, type ObjectChange } from '../../common/kube/watch/store.ts'
import type { Key } from '../runtime/queue.ts'

/** The key of the experiment of an analysis run. */
export const experimentOf = ({ metadata, spec }: Pick<AnalysisRun, 'metadata' | 'spec'>): Key =>
  `${metadata.namespace}/${spec.experiment.name}`

/** Analysis runs by their experiment. */
export class RunIndex {
  /** by the key of the experiment, then by the key of the run */
  readonly #runs = new Map<Key, Map<Key, AnalysisRun>>()

  /** How many experiments have a run. */
  get size(): number {
    return this.#runs.size
  }

  /** Follows one change of a run. Returns the key of its experiment. */
  update(change: ObjectChange<AnalysisRun>): Key {
    const run = afterOf(change)
    const of = run ?? beforeOf(change)
    const experiment = of ? experimentOf(of) : ''
    const runs = this.#runs.get(experiment) ?? new Map<Key, AnalysisRun>()
    if (run) runs.set(change.key, run)
    else runs.delete(change.key)
    if (runs.size > 0) this.#runs.set(experiment, runs)
    else this.#runs.delete(experiment)
    return experiment
  }

  /** The runs of the experiment with this key and uid. A former experiment of its name may have left other runs. */
  of(experiment: Key, uid: string): readonly AnalysisRun[] {
    return [...(this.#runs.get(experiment)?.values() ?? [])].filter(({ spec }) => spec.experiment.uid === uid)
  }

  /** The keys of the runs of an experiment. */
  keysOf(experiment: Key): readonly Key[] {
    return [...(this.#runs.get(experiment)?.keys() ?? [])]
  }
}
