import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import { orphanedRunWrites } from '../../common/writes/analysis-run-writes.ts'
import type { Write } from '../../common/writes/write.ts'
import { experimentOf } from '../analysis/run-index.ts'
import type { Key } from '../runtime/queue.ts'
import { Sweeper } from './sweeper.ts'

export interface OrphanedRunsOptions {
  readonly runs: { list(): readonly AnalysisRun[] }
  /** from the cache */
  readonly experiment: (key: Key) => ExperimentDeployment | undefined
  /** from the API server: an experiment as it is now; undefined if it is gone. @throws KubeError */
  readonly live: (
    of: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ) => Promise<KubeObject | undefined>
  /** @throws KubeError */
  readonly write: (write: Write, signal: AbortSignal) => Promise<unknown>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
}

/**
 * Ends the analysis runs of experiments that are gone, and deletes their records after a while. No pass does it.
 */
export class OrphanedRuns {
  readonly #options: OrphanedRunsOptions
  readonly #sweeper: Sweeper

  constructor(options: OrphanedRunsOptions) {
    this.#options = options
    const sweep = () => this.sweep()
    this.#sweeper = new Sweeper({ ...options, sweep, what: 'an analysis run without an experiment' })
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeper.start()
  }

  /** Starts no more sweeps. Resolves when the running one has ended, whose requests are aborted after 20 s. */
  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Looks at every run in the cache. Does not throw: what is refused now is tried again by a later sweep. */
  async sweep(): Promise<void> {
    const { runs, experiment, write, clock } = this.#options
    const listed = runs.list()
    this.#sweeper.begin(new Set(listed.map(uidOf)))
    const isMissing = (run: AnalysisRun) => experiment(experimentOf(run))?.metadata.uid !== run.spec.experiment.uid
    const isOrphan = this.#askingOnce()
    const writes = orphanedRunWrites(listed.filter(isMissing), clock())
    for (const { run, write: due } of this.#sweeper.inOrder(writes, ({ run }) => uidOf(run))) {
      if (this.#sweeper.isStopped) return
      await this.#sweeper.look(run.metadata, { run: run.metadata.name }, async () => {
        if (await isOrphan(run)) await write(due, this.#sweeper.signal)
      })
    }
  }

  /** Whether the experiment of a run is gone. All runs of one experiment get the same answer. */
  #askingOnce(): (run: AnalysisRun) => Promise<boolean> {
    const answers = new Map<string, Promise<boolean>>()
    return (run) => {
      const id = `${experimentOf(run)}/${run.spec.experiment.uid}`
      const answer = answers.get(id) ?? this.#isOrphan(run)
      answers.set(id, answer)
      return answer
    }
  }

  /** The cache may be old, for example that of a new leader, so the API server decides. @throws KubeError */
  async #isOrphan({ metadata: { namespace }, spec }: AnalysisRun): Promise<boolean> {
    const { name, uid } = spec.experiment
    const live = await this.#options.live({ namespace, name }, this.#sweeper.signal)
    return live?.metadata.uid !== uid
  }
}

const uidOf = ({ metadata }: AnalysisRun): string => metadata.uid ?? ''
