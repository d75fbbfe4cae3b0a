import { GROUP } from '../common/api/names.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { neighboursIn } from '../common/kube/reads/neighbours.ts'
import type { Clock, Random, Timers } from '../common/program/clock.ts'
import type { Log } from '../common/program/log.ts'
import { RefreshingCache } from '../common/program/refreshing-cache.ts'
import { SchemaCatalog, schemaSource } from '../common/schema/catalog.ts'
import type { Neighbours } from '../common/surroundings/neighbours.ts'
import { isBeingDeleted } from '../common/workload/identity.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { type Caches, createCaches } from './caches.ts'
import { type ClusterAccess, clusterAccess } from './cluster.ts'
import type { SurroundingsPort } from './observe/ports.ts'
import { PolicyRuntime } from './policies/policy-runtime.ts'
import { Reservations } from './policies/reservations.ts'
import { reconciler } from './reconcile.ts'
import { DriftBackoff } from './runtime/drift-backoff.ts'
import { KeyQueue } from './runtime/queue.ts'
import { Recorder } from './runtime/recorder.ts'
import { Workers } from './runtime/worker.ts'
import { AllExperiments } from './wakeups/all-experiments.ts'
import { ExperimentIndex } from './wakeups/experiment-index.ts'
import { wakeOnChanges } from './wakeups/watches.ts'

export interface ControllerOptions {
  readonly client: KubeClient
  /** how many passes run at once */
  readonly workers: number
  /** how often it is checked whether the cluster serves an absent kind now */
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

/** The parts of a running controller. */
export interface Subsystems {
  readonly caches: Caches
  readonly schemas: SchemaCatalog
  readonly neighbours: RefreshingCache<Neighbours>
  readonly policies: PolicyRuntime
  readonly recorder: Recorder
  readonly workers: Workers
  readonly experiments: AllExperiments
}

/** How long a pass waits for autoscalers, budgets and network policies. They only add warnings. */
const NEIGHBOURS_MS = 5_000

/** Creates the parts and connects them. Nothing runs yet. What waits for caches ends with `stopping`. */
export function createSubsystems(options: ControllerOptions, stopping: AbortSignal): Subsystems {
  const { client, timers, random } = options
  const caches = createCaches(options)
  const queue = new KeyQueue({ timers, random })
  const experiments = new AllExperiments({ experiments: caches.experiments, queue, timers, random })
  const schemas = new SchemaCatalog(schemaSource(client), Object.values(WORKLOAD_KINDS))
  const neighbours = new RefreshingCache<Neighbours>({
    read: (namespace) => neighboursIn(client, namespace, NEIGHBOURS_MS),
    changed: (namespace) => experiments.wake(namespace),
    timers,
  })
  const recorder = createRecorder(options)
  const index = new ExperimentIndex()
  const reservations = createReservations(caches, index)
  const traffic = wakeOnChanges(caches, queue, {
    index,
    onExperimentChange: (change) => reservations.experimentChanged(change),
  })
  const policies = createPolicies(options, { caches, index, reservations, experiments })
  const surroundings: SurroundingsPort = {
    traffic: (namespace) => traffic.of(namespace),
    neighbours: (namespace) => neighbours.of(namespace),
  }
  const access = createAccess(options, { caches, surroundings, policies, schemas, recorder })
  const workers = createWorkers(options, { queue, access, stopping })
  return { caches, schemas, neighbours, policies, recorder, workers, experiments }
}

const createRecorder = ({ client, clock, timers, random, log, instance }: ControllerOptions): Recorder =>
  new Recorder({ client, clock, timers, random, log, reporter: { controller: `${GROUP}/controller`, instance } })

const createReservations = ({ experiments, workloads }: Caches, index: ExperimentIndex): Reservations =>
  new Reservations({
    index,
    experiment: (key) => experiments.get(key),
    fork: (kind, key) => workloads.find((each) => each.kind.kind === kind)?.forks.get(key),
  })

interface PolicyParts extends Pick<Subsystems, 'caches' | 'experiments'> {
  readonly index: ExperimentIndex
  readonly reservations: Reservations
}

function createPolicies(
  { client, namespace, timers, log }: ControllerOptions,
  { caches, index, reservations, experiments }: PolicyParts,
): PolicyRuntime {
  const policies = new PolicyRuntime({
    client,
    policies: caches.policies,
    reservations,
    ownNamespace: namespace,
    keys: () => experiments.activeKeys,
    isUsedNamespace: (of) => index.isUsedNamespace(of),
    wake: (of) => experiments.wake(of),
    timers,
    log,
  })
  caches.experiments.subscribe((change) => {
    if (change.is === 'deleted' || isBeingDeleted(change.after)) policies.forget(change.key)
  })
  return policies
}

interface AccessParts extends Pick<Subsystems, 'caches' | 'policies' | 'schemas' | 'recorder'> {
  readonly surroundings: SurroundingsPort
}

const createAccess = (
  { client, timers, log }: ControllerOptions,
  { caches, surroundings, policies, schemas, recorder }: AccessParts,
): ClusterAccess =>
  clusterAccess({
    client,
    caches,
    surroundings,
    policies,
    schema: ({ kind }) => schemas.schemaOf(kind),
    drift: new DriftBackoff(timers),
    emitEvent: (regarding, related, { type, reason, message }) =>
      recorder.record({ type, reason, action: 'Reconcile', note: message, regarding, related }),
    log,
  })

interface WorkerParts {
  readonly queue: KeyQueue
  readonly access: ClusterAccess
  readonly stopping: AbortSignal
}

const createWorkers = (
  { clock, timers, log, workers: count }: ControllerOptions,
  { queue, access, stopping }: WorkerParts,
): Workers =>
  new Workers({
    queue,
    reconcile: (key, pass) => reconciler(access.forPass(pass), clock)(key),
    caughtUp: (key) => access.written.caughtUp(key, stopping),
    timers,
    log,
    count,
  })
