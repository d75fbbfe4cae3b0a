import { hasOurSelector, unpin } from '../../common/advance/service-writes.ts'
import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, OWNER_UID } from '../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../common/api/object.ts'
import type { Write } from '../../common/conclusion/write.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import { isBeingDeleted, provenOwner, recordNameOf } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { Recorder } from '../events/recorder.ts'
import { OrphanedRuns, type OrphanedRunsOptions } from './orphaned-runs.ts'
import { orphanMessage, pinnedServices } from './pinned-services.ts'
import { Sweeper } from './sweeper.ts'

interface OrphansOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** whether an experiment in the cache has a fork or twin of this kind, namespace and name */
  readonly hasExperiment: (kind: string, fork: KubeObject) => boolean
  /** whether experiments in the namespace may be read. A fork of another one is left alone */
  readonly isServed: (namespace: string) => boolean
  readonly workloads: readonly { readonly kind: WorkloadKind; readonly forks: Pick<Reflector<KubeObject>, 'list'> }[]
  /** whether the controller may change the selectors of Services */
  readonly isCutOverInstalled: boolean
  /** writes by uid. @throws KubeError */
  readonly write: (write: Write, signal: AbortSignal) => Promise<unknown>
  readonly recorder: Pick<Recorder, 'record'>
  readonly timers: Timers
  readonly log: Log
}

interface SweepersOptions extends Omit<OrphansOptions, 'workloads'> {
  readonly caches: {
    readonly workloads: OrphansOptions['workloads']
    readonly analysis?: { readonly runs: { list(): readonly AnalysisRun[] } } | undefined
  }
  readonly experiment: OrphanedRunsOptions['experiment']
  readonly clock: Clock
}

/** The experiment to which a fork belongs, whether it is still there or not. */
type Owner = NonNullable<ReturnType<typeof provenOwner>>

/** Reads an experiment as it is now; undefined if it is gone. @throws KubeError */
const liveExperiment = (
  client: OrphansOptions['client'],
  of: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
) => orUndefined(client.request({ verb: 'get', path: resourcePath(EXPERIMENT_DEPLOYMENT, of), signal }))

/** The sweepers of forks, and of analysis runs if the component is installed, whose experiments are gone. */
export function sweepersOf({ caches, ...options }: SweepersOptions) {
  const forks = new Orphans({ ...options, workloads: caches.workloads })
  const live: OrphanedRunsOptions['live'] = (of, signal) => liveExperiment(options.client, of, signal)
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
 * Deletes forks that belong to an experiment by labels and whose experiment is gone, with their pinned bases. The
 * finalizer of the experiment prevents such forks, unless a user removes it by hand, or restores a backup, in which
 * the experiment gets another uid. A fork with an owner reference is deleted by garbage collection.
 *
 * A Service that sends only to such a fork is returned first. Where the controller may not do that, the fork stays.
 */
export class Orphans {
  readonly #options: OrphansOptions
  readonly #sweeper: Sweeper
  /** what was reported about each orphaned fork, by its uid */
  readonly #orphans = new Map<string, string>()
  #count = 0

  constructor(options: OrphansOptions) {
    this.#options = options
    const sweep = () => this.sweep()
    this.#sweeper = new Sweeper({ ...options, sweep, what: 'an orphaned fork' })
  }

  /** How many forks without an experiment there were after the last sweep. */
  get count(): number {
    return this.#count
  }

  /** How many entries its collections have; 0 when all forks are gone. For tests. */
  get entryCount(): number {
    return this.#orphans.size + this.#sweeper.failing
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeper.start()
  }

  /** Starts no more sweeps. Resolves when the running one has ended, whose requests are aborted after 20 s. */
  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Looks at every fork that the caches have. Does not throw: a fork that cannot be judged now is looked at again. */
  async sweep(): Promise<void> {
    const { workloads } = this.#options
    this.#forgetGone()
    const found = workloads.flatMap(({ kind, forks }) => forks.list().map((fork) => ({ kind, fork })))
    for (const { kind, fork } of this.#sweeper.inOrder(found, ({ fork }) => uidOf(fork))) {
      if (this.#sweeper.isStopped) return
      const owner = this.#ownerToAsk(kind, fork)
      const facts = { fork: fork.metadata.name }
      if (owner) await this.#sweeper.look(fork.metadata, facts, () => this.#look(kind, fork, owner))
      else this.#isNoOrphan(fork)
    }
    this.#count = this.#orphans.size
  }

  /**
   * The owner of a fork, if the API server must be asked whether it is gone. Labels can be written by many users, so
   * the selector decides whose fork it is. But only the labels have the name of that experiment, and by a wrong name
   * the API server would not find it. So a fork is left alone while the cache has an experiment with such a fork.
   */
  #ownerToAsk({ kind }: WorkloadKind, fork: KubeObject): Owner | undefined {
    const { hasExperiment, isServed } = this.#options
    const owner = isBeingDeleted(fork) || hasExperiment(kind, fork) ? undefined : provenOwner(fork)
    return owner && isServed(owner.namespace) ? owner : undefined
  }

  /** Deletes a fork if its owner is gone. The cache may be old, so the API server decides. @throws KubeError */
  async #look(kind: WorkloadKind, fork: KubeObject, owner: Owner): Promise<void> {
    const live = await liveExperiment(this.#options.client, owner, this.#sweeper.signal)
    if (live?.metadata.uid !== owner.uid) await this.#delete(kind, fork)
    else this.#isNoOrphan(fork)
  }

  #isNoOrphan(fork: KubeObject): void {
    this.#orphans.delete(uidOf(fork))
    this.#sweeper.succeeded(uidOf(fork))
  }

  #forgetGone(): void {
    const listed = new Set(this.#options.workloads.flatMap(({ forks }) => forks.list().map(uidOf)))
    this.#sweeper.begin(listed)
    for (const uid of this.#orphans.keys()) if (!listed.has(uid)) this.#orphans.delete(uid)
  }

  async #delete(resource: WorkloadKind, of: KubeObject): Promise<void> {
    this.#orphans.set(uidOf(of), this.#orphans.get(uidOf(of)) ?? '') // it counts, also if the Services cannot be listed
    const pinned = await pinnedServices(this.#options.client, of, this.#sweeper.signal)
    const kept = pinned.filter((service) => !this.#mayUnpin(service))
    this.#tell(of, orphanMessage(pinned, kept))
    if (kept.length > 0) return
    for (const service of pinned) await this.#write(unpin(service))
    // A later sweep deletes it, usually after half a minute: until then the pods of the source become endpoints.
    if (pinned.length > 0) return
    for (const [role, name] of [
      ['base', of.metadata.name],
      ['record', recordNameOf(of)],
    ] as const) {
      const revision = await this.#revisionOf(of, name)
      if (revision) await this.#write({ verb: 'delete', role, resource: CONTROLLER_REVISION, of: revision })
    }
    await this.#write({ verb: 'delete', role: 'fork', resource, of })
  }

  /** An Event for each look, and a line in the log where it says something new. */
  #tell(of: KubeObject, note: string): void {
    const { recorder, log } = this.#options
    const { namespace, name } = of.metadata
    recorder.record({ type: 'Warning', reason: 'Orphaned', action: 'Delete', note, regarding: of })
    if (this.#orphans.get(uidOf(of)) !== note) log.warn({ namespace, fork: name, note }, 'a fork is orphaned')
    this.#orphans.set(uidOf(of), note)
  }

  #write(write: Write): Promise<unknown> {
    return this.#options.write(write, this.#sweeper.signal)
  }

  #mayUnpin(service: KubeObject): boolean {
    return this.#options.isCutOverInstalled && service[UNREAD] === undefined && hasOurSelector(service)
  }

  /** The revision called `name`, if it belonged to the same experiment as a fork. */
  async #revisionOf({ metadata }: KubeObject, name: string): Promise<KubeObject | undefined> {
    const { namespace = '', labels } = metadata
    const path = resourcePath(CONTROLLER_REVISION, { namespace, name })
    const found = await orUndefined(this.#options.client.request({ verb: 'get', path, signal: this.#sweeper.signal }))
    return found?.metadata.labels?.[OWNER_UID] === labels?.[OWNER_UID] ? found : undefined
  }
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
