import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import { at } from '../../common/json/json.ts'
import { idInName, isNamedFork } from '../../common/workload/any-fork.ts'
import { hasOurSelector, unpin } from '../../common/writes/service-writes.ts'
import type { OrphansOptions } from './orphaned-forks.ts'
import { Sweeper } from './sweeper.ts'

/** What the API server says now. All reads of one sweep that ask the same are one. */
export interface LiveReads {
  /** a Service; undefined if it is gone. @throws KubeError */
  service(place: Place, signal: AbortSignal): Promise<KubeObject | undefined>
  /** the ids of all forks and twins of a namespace that name their experiments. @throws KubeError */
  forkIds(namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>>
  /** the ids of all experiments that this installation serves. @throws KubeError */
  experimentIds(signal: AbortSignal): Promise<ReadonlySet<string>>
}

interface Place {
  readonly namespace: string
  readonly name: string
}

interface OrphanedServicesOptions
  extends Pick<OrphansOptions, 'workloads' | 'installed' | 'write' | 'recorder' | 'timers' | 'log'> {
  /** all that select pods, from the cache */
  readonly services: () => Iterable<readonly [string, { readonly name: string; readonly selector: object }]>
  /** whether this installation writes in the namespace */
  readonly isServed: (namespace: string) => boolean
  readonly live: LiveReads
}

/** A Service that sends only to a fork that is not there. */
interface Lost {
  readonly service: string
  readonly id: string
  /** when the API server first said so */
  readonly sinceMs: number
  readonly note: string
}

/** Two reads of the API server must be that far apart. A timer may run a little before its time. */
const CONFIRMED_MS = 29_000

/**
 * Returns Services that send only to a fork that does not exist, and whose experiment does not exist either, so that no
 * pass does it: somebody removed the finalizer, and deleted experiment and fork at once. A workload that only has the
 * name of the fork is none. Two reads of the API server must say so, half a minute apart. A Service whose selector
 * somebody else wrote last is only told.
 */
export class OrphanedServices {
  readonly #options: OrphanedServicesOptions
  readonly #sweeper: Sweeper
  /** by namespace and name */
  readonly #lost = new Map<string, Lost>()

  constructor(options: OrphanedServicesOptions) {
    this.#options = options
    this.#sweeper = new Sweeper({ ...options, sweep: () => this.sweep(), what: 'a Service without its fork' })
  }

  /** How many Services the last sweep found without their forks. */
  get count(): number {
    return this.#lost.size
  }

  /** How many entries its collections have; 0 when all Services are gone. For tests. */
  get entryCount(): number {
    return this.#lost.size + this.#sweeper.failing
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeper.start()
  }

  /** Starts no more sweeps. Resolves when the running one has ended, whose requests are aborted after 20 s. */
  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Looks at every Service that has our key beside others. Does not throw: what fails is looked at again. */
  async sweep(): Promise<void> {
    const found = this.#withoutFork()
    const places = new Set(found.map(keyOf))
    this.#sweeper.begin(places)
    for (const key of this.#lost.keys()) if (!places.has(key)) this.#lost.delete(key)
    const { forkIds, experimentIds } = this.#readingOnce()
    for (const each of this.#sweeper.inOrder(found, keyOf)) {
      if (this.#sweeper.isStopped) return
      const { namespace, name, id } = each
      const lost = this.#lost.get(keyOf(each))
      if (lost?.id === id && lost.note !== '') continue // it was told, and a person must act
      const metadata = { name, namespace, uid: keyOf(each) }
      await this.#sweeper.look(metadata, { namespace, service: name }, async () => {
        const service = await this.#options.live.service(each, this.#sweeper.signal)
        const isThere = service !== undefined && at(service, 'spec', 'selector', EXPERIMENT_ID) === id
        const isLost = isThere && !(await forkIds(namespace)).has(id) && !(await experimentIds()).has(id)
        if (isLost) await this.#found(each, service)
        else this.#lost.delete(keyOf(each))
      })
    }
  }

  /** The Services that the caches show to be limited to a fork that the caches do not have. */
  #withoutFork(): readonly Candidate[] {
    const { services, isServed, workloads } = this.#options
    const keyed = [...services()].flatMap(([namespace, { name, selector }]): readonly Candidate[] => {
      const { [EXPERIMENT_ID]: id, ...others } = selector as Readonly<Record<string, string>>
      return id !== undefined && Object.keys(others).length > 0 && isServed(namespace) ? [{ namespace, name, id }] : []
    })
    if (keyed.length === 0) return []
    const present = workloads.flatMap(({ forks }) => forks.list()).filter(isNamedFork)
    const ids = new Set(present.map(({ metadata: { namespace, name } }) => `${namespace}/${idInName(name)}`))
    return keyed.filter(({ namespace, id }) => !ids.has(`${namespace}/${id}`))
  }

  #readingOnce() {
    const { live } = this.#options
    const { signal } = this.#sweeper
    const forks = new Map<string, Promise<ReadonlySet<string>>>()
    let experiments: Promise<ReadonlySet<string>> | undefined
    return {
      forkIds: (namespace: string) => {
        const reading = forks.get(namespace) ?? live.forkIds(namespace, signal)
        forks.set(namespace, reading)
        return reading
      },
      experimentIds: () => {
        experiments ??= live.experimentIds(signal)
        return experiments
      },
    }
  }

  /** The second time, the Service is returned, if the controller wrote its selector last and may do so. */
  async #found(of: Candidate, service: KubeObject): Promise<void> {
    const { timers, installed, write } = this.#options
    const [key, { uid = '' }] = [keyOf(of), service.metadata]
    const before = this.#lost.get(key)
    const isSame = before?.service === uid && before.id === of.id
    const { sinceMs, note } = isSame ? before : { sinceMs: timers.now(), note: '' }
    this.#lost.set(key, { service: uid, id: of.id, sinceMs, note })
    if (timers.now() - sinceMs < CONFIRMED_MS) return
    if (!installed.cutOver || !hasOurSelector(service)) return this.#tell(of, service, KEPT)
    await write(unpin(service), this.#sweeper.signal)
    this.#tell(of, service, RETURNED)
    this.#lost.delete(key)
  }

  /** An Event and a line in the log, once. */
  #tell(of: Candidate, regarding: KubeObject, { reason, note }: Told): void {
    const { recorder, log } = this.#options
    const lost = this.#lost.get(keyOf(of))
    if (!lost || lost.note === note) return
    this.#lost.set(keyOf(of), { ...lost, note })
    recorder.record({ type: 'Warning', reason, action: 'CutOver', note, regarding })
    log.warn({ namespace: of.namespace, service: of.name, note }, 'a Service is limited to a fork that does not exist')
  }
}

interface Candidate extends Place {
  readonly id: string
}

interface Told {
  readonly reason: Reason
  readonly note: string
}

const RETURNED: Told = {
  reason: 'Returned',
  note: 'sends to the source again, because the fork to which it was limited and its experiment are gone',
}
const KEPT: Told = {
  reason: 'Orphaned',
  note:
    'sends to nobody, because the fork to which it is limited and its experiment are gone; ' +
    `remove the key ${EXPERIMENT_ID} from its selector`,
}

const keyOf = ({ namespace, name }: Place): string => `${namespace}/${name}`
