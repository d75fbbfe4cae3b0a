import type { KubeClient } from '../common/kube/client/client.ts'
import { neighboursIn } from '../common/kube/reads/neighbours.ts'
import type { Clock, Random, Timers } from '../common/program/clock.ts'
import type { Log } from '../common/program/log.ts'
import { RefreshingCache } from '../common/program/refreshing-cache.ts'
import { SchemaCatalog, schemaSource } from '../common/schema/catalog.ts'
import type { Neighbours } from '../common/surroundings/neighbours.ts'
import { isBeingDeleted } from '../common/workload/identity.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { Writer } from './apply/writer.ts'
import { WrittenVersions } from './apply/written-versions.ts'
import { createCaches } from './caches.ts'
import { clusterForPass } from './cluster.ts'
import type { Config } from './config.ts'
import { Orphans } from './orphans.ts'
import { PolicyRuntime } from './policies/policy-runtime.ts'
import { Reservations } from './policies/reservations.ts'
import { reconciler } from './reconcile.ts'
import { DriftBackoff } from './runtime/drift-backoff.ts'
import { KeyQueue } from './runtime/queue.ts'
import { Recorder } from './runtime/recorder.ts'
import { SharePace } from './runtime/share-pace.ts'
import { Workers } from './runtime/worker.ts'
import { AllExperiments } from './wakeups/all-experiments.ts'
import { ExperimentIndex } from './wakeups/experiment-index.ts'
import { wakeOnChanges } from './wakeups/watches.ts'

export interface ControllerOptions extends Pick<Config, 'workers' | 'kindProbeMs' | 'instance' | 'namespace'> {
  readonly client: KubeClient
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

/** The parts of a running controller. */
export type Subsystems = ReturnType<typeof createSubsystems>

/** How long a pass waits for autoscalers, budgets and network policies. They only add warnings. */
const NEIGHBOURS_MS = 5_000

/** Creates the parts and connects them. Nothing runs yet. What waits for caches ends with `stopping`. */
export function createSubsystems(options: ControllerOptions, stopping: AbortSignal) {
  const { client, clock, timers, random, log } = options
  const caches = createCaches(options)
  const forksOf = (kind: string) => caches.workloads.find((each) => each.kind.kind === kind)?.forks
  const queue = new KeyQueue({ timers, random })
  const experiments = new AllExperiments({ experiments: caches.experiments, queue, timers, random })
  const schemas = new SchemaCatalog(schemaSource(client), Object.values(WORKLOAD_KINDS))
  const neighbours = new RefreshingCache<Neighbours>({
    read: (namespace) => neighboursIn(client, namespace, NEIGHBOURS_MS),
    changed: (namespace) => experiments.wake(namespace),
    timers,
  })
  const recorder = new Recorder(options)
  const index = new ExperimentIndex()
  const reservations = new Reservations({
    index,
    experiment: (key) => caches.experiments.get(key),
    fork: (kind, key) => forksOf(kind)?.get(key),
  })
  const traffic = wakeOnChanges(caches, queue, {
    index,
    onExperimentChange: (change) => reservations.experimentChanged(change),
  })
  const policies = new PolicyRuntime({
    client,
    policies: caches.policies,
    reservations,
    ownNamespace: options.namespace,
    kinds: () => Object.keys(WORKLOAD_KINDS).map((kind) => ({ kind, shape: schemas.schemaOf(kind)?.shape })),
    keys: () => experiments.activeKeys,
    isUsedNamespace: (namespace) => index.isUsedNamespace(namespace),
    wake: (namespace) => experiments.wake(namespace),
    timers,
    clock,
    log,
  })
  schemas.subscribe(() => policies.schemasChanged())
  caches.experiments.subscribe((change) => {
    if (change.is === 'deleted' || isBeingDeleted(change.after)) policies.status.forget(change.key)
  })
  const written = new WrittenVersions({ experiments: caches.experiments, forks: forksOf })
  const clusterOf = clusterForPass({
    client,
    experiments: caches.experiments,
    workloads: caches.workloads,
    surroundings: {
      traffic: (namespace) => traffic.of(namespace),
      neighbours: (namespace) => neighbours.of(namespace),
    },
    policies,
    reservations,
    schemaOf: ({ kind }) => schemas.schemaOf(kind),
    drift: new DriftBackoff(timers),
    statusDrift: new DriftBackoff(timers),
    sharePace: new SharePace(timers),
    written,
    recorder,
    log,
  })
  const orphans = new Orphans({
    client,
    experiment: (key) => caches.experiments.get(key),
    workloads: caches.workloads,
    write: (write) => new Writer({ client, signal: stopping, written, doubt: () => undefined }).write(write),
    recorder,
    timers,
    log,
  })
  const workers = new Workers({
    queue,
    reconcile: (key, pass) => reconciler(clusterOf(pass), clock)(key),
    caughtUp: (key) => written.caughtUp(key, stopping),
    timers,
    log,
    count: options.workers,
  })
  return { caches, schemas, neighbours, policies, recorder, workers, experiments, orphans }
}
