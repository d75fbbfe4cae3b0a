import type { AnalysisRun } from '../common/analysis/kinds/run.ts'
import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, OWNER_UID } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { factsOf, KubeError } from '../common/kube/client/errors.ts'
import { pathOf } from '../common/kube/client/resources.ts'
import { orUndefined } from '../common/kube/reads/object.ts'
import type { Reflector } from '../common/kube/watch/reflector.ts'
import type { Write } from '../common/plan/write.ts'
import type { Cancel, Clock, Timers } from '../common/program/clock.ts'
import type { Log } from '../common/program/log.ts'
import { isBeingDeleted, provenOwner, recordNameOf } from '../common/workload/identity.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { OrphanedRuns, type OrphanedRunsOptions } from './analysis/orphaned-runs.ts'
import type { Key } from './runtime/queue.ts'
import type { Recorder } from './runtime/recorder.ts'

/** A fork without its experiment exists for this time at most. The deletion of an experiment usually takes a second. */
const SWEEP_MS = 30_000

interface OrphansOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly experiment: (key: Key) => ExperimentDeployment | undefined
  /** whether experiments in the namespace may be read. A fork of another one is left alone */
  readonly isServed: (namespace: string) => boolean
  readonly workloads: readonly { readonly kind: WorkloadKind; readonly forks: Pick<Reflector<KubeObject>, 'list'> }[]
  /** deletes by uid. @throws KubeError */
  readonly write: (write: Write) => Promise<unknown>
  readonly recorder: Pick<Recorder, 'record'>
  readonly timers: Timers
  readonly log: Log
}

interface SweepersOptions extends Omit<OrphansOptions, 'workloads'> {
  readonly caches: {
    readonly workloads: OrphansOptions['workloads']
    readonly analysis?: { readonly runs: { list(): readonly AnalysisRun[] } } | undefined
  }
  readonly clock: Clock
}

/** Reads an experiment as it is now; undefined if it is gone. @throws KubeError */
const liveExperiment = (client: OrphansOptions['client'], of: { readonly namespace: string; readonly name: string }) =>
  orUndefined(client.request({ verb: 'get', path: pathOf(EXPERIMENT_DEPLOYMENT, of) }))

/** What cares for objects whose experiments are gone: forks, and analysis runs where there are any. */
export function sweepersOf({ caches, ...options }: SweepersOptions) {
  const forks = new Orphans({ ...options, workloads: caches.workloads })
  const live: OrphanedRunsOptions['live'] = (of) => liveExperiment(options.client, of)
  const runs = caches.analysis && new OrphanedRuns({ ...options, live, runs: caches.analysis.runs })
  return {
    /** How many forks without an experiment the last sweep found. */
    get count(): number {
      return forks.count
    },
    start(): void {
      forks.start()
      runs?.start()
    },
    stop: () => Promise.all([forks.stop(), runs?.stop()]),
  }
}

/**
 * Deletes forks in other namespaces whose experiment is gone, with their pinned bases. The finalizer of the experiment
 * prevents such forks, unless somebody removes it by hand. In the namespace of the experiment garbage collection does
 * it.
 */
export class Orphans {
  readonly #options: OrphansOptions
  #cancel: Cancel = () => undefined
  #sweeping: Promise<void> = Promise.resolve()
  #count = 0
  #isStopped = false

  constructor(options: OrphansOptions) {
    this.#options = options
  }

  /** How many forks without an experiment the last sweep found. */
  get count(): number {
    return this.#count
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeping = this.sweep().finally(() => {
      if (this.#isStopped) return
      this.#cancel = this.#options.timers.after(SWEEP_MS, () => this.start())
    })
  }

  /** Starts no more sweeps. Resolves when the running one has ended, which looks at no further fork. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#sweeping
    this.#cancel()
  }

  /** Looks at every fork that the caches have. Does not throw: a fork that cannot be judged now is looked at again. */
  async sweep(): Promise<void> {
    let found = 0
    for (const { kind, forks } of this.#options.workloads)
      for (const fork of forks.list()) {
        if (this.#isStopped) return
        try {
          if (await this.#isOrphan(fork)) {
            found += 1
            await this.#delete(kind, fork)
          }
        } catch (error) {
          if (!(error instanceof KubeError)) throw error
          this.#options.log.warn({ fork: fork.metadata.name, ...factsOf(error) }, 'an orphaned fork is looked at again')
        }
      }
    this.#count = found
  }

  /** Labels can be written by many users and the cache may be old, so the selector and the API server decide. */
  async #isOrphan(fork: KubeObject): Promise<boolean> {
    const owner = isBeingDeleted(fork) ? undefined : provenOwner(fork)
    if (!owner) return false
    const { namespace, name, uid } = owner
    const { client, experiment, isServed } = this.#options
    if (!isServed(namespace)) return false
    if (experiment(`${namespace}/${name}`)?.metadata.uid === uid) return false
    const live = await liveExperiment(client, { namespace, name })
    return live?.metadata.uid !== uid
  }

  async #delete(resource: WorkloadKind, of: KubeObject): Promise<void> {
    const { write, recorder, log } = this.#options
    const { namespace, name } = of.metadata
    const note = 'its experiment was removed together with its finalizer, so the controller deletes this fork now'
    recorder.record({ type: 'Warning', reason: 'Orphaned', action: 'Delete', note, regarding: of })
    log.warn({ namespace, fork: name }, 'deletes a fork without an experiment')
    for (const [role, name] of [
      ['base', of.metadata.name],
      ['record', recordNameOf(of)],
    ] as const) {
      const revision = await this.#revisionOf(of, name)
      if (revision) await write({ verb: 'delete', role, resource: CONTROLLER_REVISION, of: revision })
    }
    await write({ verb: 'delete', role: 'fork', resource, of })
  }

  /** The revision called `name`, if it belonged to the same experiment as a fork. */
  async #revisionOf({ metadata }: KubeObject, name: string): Promise<KubeObject | undefined> {
    const { namespace = '', labels } = metadata
    const path = pathOf(CONTROLLER_REVISION, { namespace, name })
    const found = await orUndefined(this.#options.client.request({ verb: 'get', path }))
    return found?.metadata.labels?.[OWNER_UID] === labels?.[OWNER_UID] ? found : undefined
  }
}
