import { CONTROLLER_REVISION, EXPERIMENT_DEPLOYMENT, OWNER_UID } from '../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { Components } from '../../common/facts/facts.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import type { LeavingObject } from '../../common/outcome/conclusion.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import { isKeptByFinalizers, leaving } from '../../common/run/leaving.ts'
import { idInName, isForkOfSome, namedOwner, provenOwner } from '../../common/workload/any-fork.ts'
import { hasForkLabel, isBeingDeleted, recordNameOf } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { hasOurSelector, unpin } from '../../common/writes/service-writes.ts'
import type { Write } from '../../common/writes/write.ts'
import type { Recorder } from '../events/recorder.ts'
import { orphanMessage, pinnedServices } from './pinned-services.ts'
import { type CachedWorkloads, neededBy } from './small-sources.ts'
import { Sweeper } from './sweeper.ts'

export interface OrphansOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** whether an experiment in the cache has a fork or twin of this kind, namespace and name */
  readonly hasExperiment: (kind: string, fork: KubeObject) => boolean
  /** whether experiments in the namespace may be read. A fork of another one is left alone */
  readonly isServed: (namespace: string) => boolean
  readonly workloads: readonly CachedWorkloads[]
  readonly installed: Components
  /**
   * the metadata of the Deployments of a namespace with the label of a canary that has made them smaller, from the API
   * server. @throws KubeError
   */
  readonly smallSources: (namespace: string, signal: AbortSignal) => Promise<readonly KubeObject[]>
  /** writes by uid. @throws KubeError */
  readonly write: (write: Write, signal: AbortSignal) => Promise<unknown>
  readonly recorder: Pick<Recorder, 'record'>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
}

/** The experiment to which a fork belongs, whether it is still there or not. */
type Owner = NonNullable<ReturnType<typeof provenOwner>>

/** What was last reported of an orphaned fork, and since when it leaves. */
interface Orphan {
  readonly note: string
  readonly sinceMs: number
}

/**
 * Deletes forks that belong to an experiment by labels and whose experiment is gone, with their pinned bases. The
 * finalizer of the experiment prevents such forks, unless a user removes it by hand, or restores a backup, in which
 * the experiment gets another uid. A fork with an owner reference is deleted by garbage collection, and where a
 * finalizer of others keeps it from going, that is removed after a minute.
 *
 * A Service that sends only to such a fork is returned first, and a source that is smaller because of the fork gets its
 * pods back first. Where the controller may not do that, the fork stays.
 */
export class Orphans {
  readonly #options: OrphansOptions
  readonly #sweeper: Sweeper
  /** by uid */
  readonly #orphans = new Map<string, Orphan>()
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
    const found = this.#found()
    this.#forgetGone(new Set(found.map(({ fork }) => uidOf(fork))))
    for (const { kind, fork } of this.#sweeper.inOrder(found, ({ fork }) => uidOf(fork))) {
      if (this.#sweeper.isStopped) return
      const owner = this.#ownerToAsk(kind, fork)
      const facts = { fork: fork.metadata.name }
      if (owner) await this.#sweeper.look(fork.metadata, facts, () => this.#look(kind, fork, owner))
      else if (this.#mayBeHeld(kind, fork))
        await this.#sweeper.look(fork.metadata, facts, () => this.#lookAtHeld(kind, fork))
      else this.#isNoOrphan(fork)
    }
    this.#count = this.#orphans.size
  }

  /** All forks. One that is being deleted may have lost its label, by which a cache has it whole. */
  #found(): readonly { readonly kind: WorkloadKind; readonly fork: KubeObject }[] {
    const isLeaving = (object: KubeObject) => isBeingDeleted(object) && idInName(object.metadata.name) !== undefined
    return this.#options.workloads.flatMap(({ kind, forks, others }) =>
      [...forks.list(), ...others.list().filter(isLeaving)].map((fork) => ({ kind, fork })),
    )
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

  /** Takes a fork away if its owner is gone. The cache may be old, so the API server decides. @throws KubeError */
  async #look(kind: WorkloadKind, fork: KubeObject, owner: Owner): Promise<void> {
    if (await this.#isGone(owner)) await this.#remove(kind, fork)
    else this.#isNoOrphan(fork)
  }

  async #isGone(owner: Owner): Promise<boolean> {
    return (await this.#get(resourcePath(EXPERIMENT_DEPLOYMENT, owner)))?.metadata.uid !== owner.uid
  }

  /** Whether the API server must be asked what keeps a fork that is being deleted. Passes do it for their own. */
  #mayBeHeld({ kind }: WorkloadKind, fork: KubeObject): boolean {
    const mayHaveFinalizers = !hasForkLabel(fork) || isKeptByFinalizers(fork)
    return isBeingDeleted(fork) && mayHaveFinalizers && !this.#options.hasExperiment(kind, fork)
  }

  /** Ends what keeps a fork whose experiment is gone. Marks may be removed, so it needs none. @throws KubeError */
  async #lookAtHeld(kind: WorkloadKind, { metadata: { namespace = '', name } }: KubeObject): Promise<void> {
    const live = await this.#get(resourcePath(kind, { namespace, name }))
    if (!live) return
    const owner = namedOwner(live)
    const isFree = !owner || (this.#options.isServed(owner.namespace) && (await this.#isGone(owner)))
    if (isKeptByFinalizers(live) && isForkOfSome(live) && isFree) await this.#remove(kind, live)
    else this.#isNoOrphan(live)
  }

  #isNoOrphan(fork: KubeObject): void {
    this.#orphans.delete(uidOf(fork))
    this.#sweeper.succeeded(uidOf(fork))
  }

  #forgetGone(listed: ReadonlySet<string>): void {
    this.#sweeper.begin(listed)
    for (const uid of this.#orphans.keys()) if (!listed.has(uid)) this.#orphans.delete(uid)
  }

  async #remove(resource: WorkloadKind, of: KubeObject): Promise<void> {
    const { client, clock, timers } = this.#options
    const before = this.#orphans.get(uidOf(of)) ?? { sinceMs: timers.now(), note: '' }
    this.#orphans.set(uidOf(of), before) // it counts, also if the Services cannot be listed
    const needed = neededBy(of, await this.#smallSources(resource, of))
    if (needed !== undefined)
      return this.#tell(of, undefined, { note: orphanMessage([], [], needed), sinceMs: timers.now() })
    const pinned = await pinnedServices(client, of, this.#sweeper.signal)
    const kept = pinned.filter((service) => !this.#mayUnpin(service))
    const step = leaving(resource, of, { role: 'fork', now: clock(), leavingMs: timers.now() - before.sinceMs })
    const sinceMs = pinned.length > 0 ? timers.now() : before.sinceMs // its minute begins when they are returned
    this.#tell(of, step.leaving, { note: orphanMessage(pinned, kept, step.waitsFor), sinceMs })
    if (kept.length > 0) return
    for (const service of pinned) await this.#write(unpin(service))
    // A later sweep goes on, usually after half a minute: until then the pods of the source become endpoints.
    if (pinned.length > 0) return
    if (step.write?.verb === 'delete') await this.#deleteRevisions(of)
    if (step.write) await this.#write(step.write)
  }

  /** Only Deployments are made smaller. */
  async #smallSources({ kind }: WorkloadKind, { metadata }: KubeObject): Promise<readonly KubeObject[]> {
    const { smallSources } = this.#options
    return kind === 'Deployment' ? smallSources(metadata.namespace ?? '', this.#sweeper.signal) : []
  }

  async #deleteRevisions(of: KubeObject): Promise<void> {
    for (const [role, name] of [
      ['base', of.metadata.name],
      ['record', recordNameOf(of)],
    ] as const) {
      const revision = await this.#revisionOf(of, name)
      if (revision) await this.#write({ verb: 'delete', role, resource: CONTROLLER_REVISION, of: revision })
    }
  }

  /** An Event for each look, and a line in the log where it says something new. */
  #tell(of: KubeObject, left: LeavingObject | undefined, orphan: Orphan): void {
    const { recorder, log } = this.#options
    const [{ namespace, name }, { note }] = [of.metadata, orphan]
    const reason: Reason = left?.held === undefined ? 'Orphaned' : 'HeldByFinalizer'
    recorder.record({ type: 'Warning', reason, action: 'Delete', note, regarding: of })
    if (this.#orphans.get(uidOf(of))?.note !== note) log.warn({ namespace, fork: name, note }, 'a fork is orphaned')
    this.#orphans.set(uidOf(of), orphan)
  }

  #get(path: string): Promise<KubeObject | undefined> {
    return orUndefined(this.#options.client.request({ verb: 'get', path, signal: this.#sweeper.signal }))
  }

  #write(write: Write): Promise<unknown> {
    return this.#options.write(write, this.#sweeper.signal)
  }

  #mayUnpin(service: KubeObject): boolean {
    return this.#options.installed.cutOver && service[UNREAD] === undefined && hasOurSelector(service)
  }

  /** The revision called `name`, if it belonged to the same experiment as a fork. */
  async #revisionOf({ metadata }: KubeObject, name: string): Promise<KubeObject | undefined> {
    const { namespace = '', labels } = metadata
    const found = await this.#get(resourcePath(CONTROLLER_REVISION, { namespace, name }))
    return found?.metadata.labels?.[OWNER_UID] === labels?.[OWNER_UID] ? found : undefined
  }
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
