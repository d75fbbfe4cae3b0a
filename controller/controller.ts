import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, EXPERIMENT_POLICY, GROUP } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { type ExperimentPolicy, sourceNamespaceOf } from '../common/api/policy.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { Cancel, Clock, Random, Timers } from '../common/clock.ts'
import { unlessAborted } from '../common/deadline.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { neighboursIn } from '../common/kube/neighbours.ts'
import { Reflector } from '../common/kube/reflector.ts'
import { RESOURCES } from '../common/kube/resources.ts'
import type { View } from '../common/kube/view.ts'
import type { Log } from '../common/log.ts'
import { SchemaCatalog } from '../common/schema/catalog.ts'
import { keepFresh } from '../common/schema/refresher.ts'
import { schemaSource } from '../common/schema/source.ts'
import { isLeaving } from '../common/workload/identity.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { serviceView, sliceView } from '../common/workload/services.ts'
import { cluster } from './cluster.ts'
import { Governance } from './governance.ts'
import { MinuteCache } from './minute-cache.ts'
import { reconciler } from './reconcile/reconcile.ts'
import { type Key, KeyQueue } from './runtime/queue.ts'
import { Recorder } from './runtime/recorder.ts'
import { RepairPace } from './runtime/repair-pace.ts'
import { Workers } from './runtime/worker.ts'
import { connect } from './watches.ts'

export interface ControllerOptions {
  readonly client: KubeClient
  readonly workers: number
  /** how often a kind that the cluster does not serve is asked for */
  readonly kindProbeMs: number
  /** the pod's name, for Events */
  readonly instance: string
  /** the namespace of the pod */
  readonly namespace: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

/** Caches that are not filled by then will not be: a missing right, as a rule. */
const SYNC_LIMIT_MS = 120_000
/** Events are worth a moment, not a delayed exit. */
const FLUSH_MS = 2_000
/** Every experiment is looked at again so often, whatever happens: a lost event is found. */
const RESYNC_MS = 3_600_000
/** Autoscalers, budgets and policies are worth a short wait of a pass, no more: they only add to what it tells. */
const NEIGHBOURS_MS = 5_000

/** Watches, queue and workers, ready to start. */
export class Controller {
  readonly #options: ControllerOptions
  readonly #stopping = new AbortController()
  readonly #reflectors: readonly Pick<Reflector<unknown>, 'start' | 'stop' | 'synced'>[]
  readonly #experiments: Reflector<ExperimentDeployment>
  readonly #schemas: SchemaCatalog
  readonly #neighbours: MinuteCache<Neighbours>
  readonly #governance: Governance
  readonly #queue: KeyQueue
  readonly #recorder: Recorder
  readonly #workers: Workers
  #refreshing: Promise<void> | undefined
  #isReady = false
  #cancelResync: Cancel = () => undefined

  constructor(options: ControllerOptions) {
    const { client, clock, timers, random, log, instance } = options
    this.#options = options
    const reflector = <T>(view: View, project: (object: KubeObject) => T | undefined) =>
      new Reflector<T>({ client, view, project, timers, random, log, probeAbsentMs: options.kindProbeMs })

    this.#queue = new KeyQueue({ timers, random })
    this.#schemas = new SchemaCatalog(schemaSource(client), Object.values(WORKLOAD_KINDS))
    this.#neighbours = new MinuteCache({
      list: (namespace) => neighboursIn(client, namespace, NEIGHBOURS_MS),
      changed: (namespace) => this.#wakeAll(namespace),
      timers,
    })
    this.#recorder = new Recorder({
      client,
      clock,
      timers,
      random,
      log,
      reporter: { controller: `${GROUP}/controller`, instance },
    })
    // the CRD's schema vouches for the shape; what it leaves open, plan checks
    const experiments = reflector({ resource: EXPERIMENT_DEPLOYMENT, managedFields: 'who' }, asExperiment)
    const workloads = Object.values(WORKLOAD_KINDS).map((kind) => ({
      kind,
      forks: reflector({ resource: kind, managedFields: 'who', labelSelector: EXPERIMENT_ID }, whole),
      all: reflector(
        { resource: kind, managedFields: 'none', metadataOnly: kind.watched === undefined },
        kind.watched ?? whole,
      ),
    }))
    const policies = reflector({ resource: EXPERIMENT_POLICY, managedFields: 'none' }, asPolicy)
    const services = reflector({ resource: RESOURCES.Service, managedFields: 'none' }, serviceView)
    const slices = reflector({ resource: RESOURCES.EndpointSlice, managedFields: 'none' }, sliceView)
    this.#experiments = experiments
    this.#reflectors = [experiments, policies, services, slices, ...workloads.flatMap(({ forks, all }) => [forks, all])]

    const { traffic, places, interest } = connect({ experiments, workloads, services, slices }, this.#queue)
    this.#governance = new Governance({
      client,
      policies,
      places,
      ownNamespace: options.namespace,
      keys: () =>
        experiments
          .list()
          .filter((each) => !isLeaving(each))
          .map(keyOf),
      isOfInterest: (namespace) => interest.isAnyIn(namespace),
      wake: (namespace) => this.#wakeAll(namespace),
      timers,
      log,
    })
    experiments.subscribe((change) => {
      if (change.is === 'deleted' || isLeaving(change.after)) this.#governance.forget(change.key)
    })
    const world = cluster({
      client,
      experiments,
      workloads,
      traffic: (namespace) => traffic.of(namespace),
      governance: this.#governance.reads,
      neighbours: (namespace) => this.#neighbours.of(namespace),
      schema: ({ kind }) => this.#schemas.schemaOf(kind),
      notify: (regarding, related, { type, reason, message }) =>
        this.#recorder.record({ type, reason, action: 'Reconcile', note: message, regarding, related }),
      repairs: new RepairPace(timers),
      log,
    })
    this.#workers = new Workers({
      queue: this.#queue,
      reconcile: (key, turn) => reconciler(world.within(turn.signal), clock, turn)(key),
      caughtUp: (key) => world.caughtUp(key, this.#stopping.signal),
      timers,
      log,
      count: options.workers,
    })
  }

  /** Experiments that break a policy. */
  get violating(): number {
    return this.#governance.violating
  }

  /** Whether the caches are filled. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Fills the caches, then works. @throws Error that names the caches that were not filled within two minutes */
  async start(): Promise<void> {
    const { timers, log, kindProbeMs } = this.#options
    const { signal } = this.#stopping
    for (const each of this.#reflectors) each.start()
    // without schemas every experiment would be told to wait for them, also those that have converged
    const schemas = new Promise<void>((resolve) => this.#schemas.subscribe(resolve))
    this.#refreshing = keepFresh({ catalog: this.#schemas, timers, log, signal, absentMs: kindProbeMs }).ended
    this.#schemas.subscribe(() => this.#wakeAll())
    const limit = new AbortController()
    const cancel = timers.after(SYNC_LIMIT_MS, () => limit.abort(new Error('caches not filled within two minutes')))
    const caches = this.#reflectors.map((each) => each.synced(limit.signal))
    const filled = Promise.all([...caches, unlessAborted(schemas, limit.signal)])
    await unlessAborted(filled, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      .finally(cancel)
    if (signal.aborted) return // asked to stop before it had begun
    this.#wakeAll()
    this.#workers.start()
    this.#isReady = true
    this.#resync()
    log.info({ experiments: this.#experiments.size }, 'started')
  }

  /** No new work; resolves when the work under way, Events and watches have ended. */
  async stop(): Promise<void> {
    await this.#workers.stop()
    this.#neighbours.stop()
    await this.#governance.stop()
    this.#cancelResync()
    await this.#recorder.flush(FLUSH_MS)
    this.#stopping.abort()
    await Promise.all([this.#recorder.stop(), this.#refreshing, ...this.#reflectors.map((each) => each.stop())])
  }

  #wakeAll(within?: string): void {
    for (const experiment of this.#experiments.list())
      if (within === undefined || [experiment.metadata.namespace, sourceNamespaceOf(experiment)].includes(within))
        this.#queue.add(keyOf(experiment))
  }

  /** Evenly spread over the time until the next one. */
  #resync(): void {
    const { timers, random } = this.#options
    for (const experiment of this.#experiments.list()) this.#queue.addAfter(keyOf(experiment), RESYNC_MS * random())
    this.#cancelResync = timers.after(RESYNC_MS, () => this.#resync())
  }
}

const whole = (object: KubeObject): KubeObject => object
const keyOf = ({ metadata }: ExperimentDeployment): Key => `${metadata.namespace}/${metadata.name}`
const asPolicy = (object: KubeObject): ExperimentPolicy => object as ExperimentPolicy
const asExperiment = (object: KubeObject): ExperimentDeployment => object as ExperimentDeployment
