import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import { type KubeClient, limited } from '../common/kube/client/client.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
import { neighboursIn } from '../common/kube/reads/neighbours.ts'
import { isOutside, type ServedNamespaces } from '../common/policy/policy.ts'
import type { Clock, Random, Timers } from '../common/program/clock.ts'
import type { Log } from '../common/program/log.ts'
import { RefreshingCache } from '../common/program/refreshing-cache.ts'
import { Semaphore } from '../common/program/semaphore.ts'
import { SchemaCatalog, schemaSource } from '../common/schema/catalog.ts'
import type { Neighbours } from '../common/surroundings/neighbours.ts'
import { API_NAMESPACE } from '../common/surroundings/traffic.ts'
import { isBeingDeleted } from '../common/workload/identity.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import type { Write } from '../common/writes/write.ts'
import { AnalysisRuntime, type AnalysisRuntimeOptions } from './analysis/analysis-runtime.ts'
import { listedApiServers } from './analysis/http/api-servers.ts'
import { Writer } from './apply/writer.ts'
import { type Caches, createCaches } from './caches.ts'
import { clusterForPass } from './cluster.ts'
import type { Config } from './config.ts'
import { JoinedEvents } from './events/joined-events.ts'
import { Recorder } from './events/recorder.ts'
import { ExperimentIndex } from './indexes/experiment-index.ts'
import { passMemory } from './memory/pass-memory.ts'
import { WrittenVersions } from './memory/written-versions.ts'
import type { ControllerMetrics } from './metrics.ts'
import { sweepersOf } from './orphans/sweepers.ts'
import { measuringPasses } from './pass-metrics.ts'
import { PolicyRuntime } from './policies/policy-runtime.ts'
import { Reservations } from './policies/reservations.ts'
import { reconciler } from './reconcile.ts'
import { Breaker, PROBE_MS } from './runtime/breaker.ts'
import { type Key, KeyQueue } from './runtime/queue.ts'
import { Workers, type WorkersOptions } from './runtime/worker.ts'
import { AllExperiments } from './wakeups/all-experiments.ts'
import { ClockSteps } from './wakeups/clock-steps.ts'
import { wakeOnChanges } from './wakeups/watches.ts'

export interface ControllerOptions
  extends Pick<Config, 'workers' | 'kindProbeMs' | 'instance' | 'installed' | keyof ServedNamespaces> {
  readonly client: KubeClient
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly metrics: ControllerMetrics
  /** how the providers of analyses are reached */
  readonly http: AnalysisRuntimeOptions['http']
}

/** Written versions of objects without an experiment are not tracked: nothing would ever remove the entries. */
const NO_NEXT_PASS = { written: { note: () => undefined }, doubt: () => undefined }

function writing(client: KubeClient) {
  return (of: Write, signal: AbortSignal) => new Writer({ client, signal, ...NO_NEXT_PASS }).write(of)
}

/** The parts of a running controller. */
export type Subsystems = ReturnType<typeof createSubsystems>

/**
 * How long a pass waits for autoscalers, budgets and network policies. They only add warnings. They are not watched, so
 * those of a namespace with a fork are listed again every minute.
 */
const NEIGHBOURS_MS = 5_000

/**
 * How many lists of neighbours are sent at once, and how many of the pods that analyses compare. Every minute there may
 * be lists for each namespace and each analysis, and writes must not wait for a connection behind them.
 */
export const LISTS_AT_ONCE = 12

/** Of a namespace that is not served, nothing may be read. */
const NO_NEIGHBOURS: Promise<Neighbours> = Promise.resolve({ autoscalers: [], budgets: [], networkPolicies: [] })

/**
 * Creates the parts and connects them. Nothing runs yet. What waits for caches ends with `stopping`. While `isLeading`
 * is false the workers drop their keys: a standby would collect the keys of all experiments that ever were.
 */
export function createSubsystems(options: ControllerOptions, stopping: AbortSignal, isLeading: () => boolean) {
  const { client, clock, timers, random, metrics } = options
  const caches = createCaches(options)
  const isServed = (namespace: string) => !isOutside(namespace, options.onlyNamespace)
  const forksOf = (name: string) => caches.workloads.find(({ kind }) => kind.kind === name)?.forks
  const queue = new KeyQueue({ timers, random, observer: metrics.queue })
  const experiments = new AllExperiments({ experiments: caches.experiments, queue, timers })
  const clockSteps = new ClockSteps({ clock, timers, onForwardStep: () => experiments.wake() })
  const schemas = new SchemaCatalog(schemaSource(client, stopping), Object.values(WORKLOAD_KINDS), {
    compiles: 'whenUsed',
  })
  const index = new ExperimentIndex()
  const neighbours = createNeighbours(options, experiments, index)
  const events = recording(options)
  const { recorder, joined } = events
  const experiment = (key: Key) => caches.experiments.get(key)
  const isAnalyzed = (key: Key) => caches.analysis !== undefined && experiment(key)?.spec.analysis !== undefined
  const reservations = new Reservations({ index, experiment, fork: (kind, key) => forksOf(kind)?.get(key) })
  const memory = passMemory(options, caches.experiments)
  const { traffic, referrers, forkPods, paced } = wakeOnChanges(caches, queue, {
    index,
    onExperimentChange: (change) => reservations.experimentChanged(change),
    onForkChange: (kind, change) => (policies.areCounting ? reservations.forkChanged(kind, change) : []),
    shareRestMs: (key) => memory.sharePace.restMs(key),
    timers,
  })
  const policies = new PolicyRuntime({
    ...options,
    policies: caches.policies,
    reservations,
    kinds: () => Object.keys(WORKLOAD_KINDS).map((kind) => ({ kind, shape: schemas.schemaOf(kind)?.shape })),
    keys: () => experiments.activeKeys,
    isKnown: (key) => experiments.isActive(key),
    isUsedNamespace: (namespace) => index.isUsedNamespace(namespace),
    isAnalyzedNamespace: (namespace) => [...index.inNamespace(namespace)].some(isAnalyzed),
    wake: (namespace) => experiments.wake(namespace),
  })
  schemas.subscribe(() => policies.schemasChanged())
  const analysis = createAnalysis(options, { caches, queue, isLeading, traffic })
  forgetPolicyDecisions(caches, policies)
  const written = new WrittenVersions({ ...caches, runs: caches.analysis?.runs, forks: forksOf })
  const clusterOf = clusterForPass({
    ...options,
    experiments: caches.experiments,
    workloads: caches.workloads,
    referrers,
    isServed,
    surroundings: {
      traffic: (key, namespace) => traffic.readFor(key, namespace),
      follow: (...followed) => traffic.followers.follow(...followed),
      neighbours: (namespace, maxAgeMs) => (isServed(namespace) ? neighbours.of(namespace, maxAgeMs) : NO_NEIGHBOURS),
    },
    policies,
    reservations,
    ...memory,
    schemaOf: ({ kind }) => schemas.schemaOf(kind),
    analysis,
    pods: (namespace, fork) => forkPods.of(namespace, fork),
    written,
    recorder: joined,
  })
  const orphans = sweepersOf({
    ...{ ...options, isServed, recorder, caches, experiment, index, write: writing(client) },
    services: () => traffic.services.entries(),
    isExcluded: (namespace) => policies.isExcluded(namespace),
  })
  const reconcile = measuringPasses(metrics, timers)(
    async (key, pass) => {
      paced.forget(key) // before it reads
      return isLeading() ? reconciler(clusterOf(key, pass), clock)(key) : 'never'
    },
    (key) => experiment(key)?.spec.sourceRef.kind,
  )
  const caughtUp = (key: Key) => written.caughtUp(key, stopping)
  const working = { written, ...createWorkers(options, { queue, recorder, reconcile, caughtUp, objectOf: experiment }) }
  const waking = { queue, paced, experiments, clockSteps }
  const remembered = { memory, index, reservations, traffic, referrers, forkPods }
  return { caches, schemas, neighbours, policies, orphans, analysis, ...events, ...waking, ...working, ...remembered }
}

/** What sends Events, and what lets some of them wait for the next one. */
function recording(options: ControllerOptions) {
  const recorder = new Recorder(options)
  return { recorder, joined: new JoinedEvents({ ...options, record: (event) => recorder.record(event) }) }
}

function createNeighbours(
  { client, timers }: ControllerOptions,
  experiments: AllExperiments,
  index: ExperimentIndex,
): RefreshingCache<Neighbours> {
  const reader = limited(client, new Semaphore(LISTS_AT_ONCE))
  return new RefreshingCache({
    read: (namespace) => neighboursIn(reader, namespace, NEIGHBOURS_MS),
    changed: (namespace) => experiments.wake(namespace),
    isWatched: (namespace) => index.withForkIn(namespace).size > 0,
    // All experiments of a namespace ask again after a minute. Its lists are then read once for all of them.
    keepsUnread: true,
    timers,
  })
}

interface AnalysisParts {
  readonly caches: Caches
  readonly queue: Pick<KeyQueue, 'add'>
  readonly isLeading: () => boolean
  readonly traffic: Pick<ReturnType<typeof wakeOnChanges>['traffic'], 'of'>
}

/** What asks the providers of analyses; undefined where the component is not installed. */
const createAnalysis = (options: ControllerOptions, { caches, queue, isLeading, traffic }: AnalysisParts) =>
  caches.analysis &&
  new AnalysisRuntime({
    ...options,
    http: {
      ...options.http,
      apiServers: () => [...options.http.apiServers(), ...listedApiServers(traffic.of(API_NAMESPACE).slices)],
    },
    client: limited(options.client, new Semaphore(LISTS_AT_ONCE)),
    caches: caches.analysis,
    experiments: caches.experiments,
    wake: (key) => queue.add(key),
    isLeading,
    observer: options.metrics.analysis,
  })

/** Forgets what policies decided about experiments that are gone, or are being deleted. */
function forgetPolicyDecisions({ experiments }: Caches, { status }: PolicyRuntime): void {
  experiments.subscribe((change) => {
    if (change.is === 'deleted' || isBeingDeleted(change.after)) status.forget(change.key)
  })
}

/** The workers, and the breaker that they tell how their passes end. */
function createWorkers(
  { client, timers, log, workers: count, onlyNamespace: namespace }: ControllerOptions,
  {
    recorder,
    ...of
  }: Pick<WorkersOptions, 'reconcile' | 'caughtUp' | 'objectOf'> & {
    readonly queue: KeyQueue
    readonly recorder: Pick<Recorder, 'pause' | 'resume'>
  },
) {
  const path = resourcePath(EXPERIMENT_DEPLOYMENT, namespace === undefined ? {} : { namespace })
  const expects = `${EXPERIMENT_DEPLOYMENT.kind}List`
  const request = { verb: 'list', path, query: { limit: 1 }, expects, deadlineMs: PROBE_MS } as const
  const probe = (signal: AbortSignal) => client.request({ ...request, signal })
  const pausing = {
    pause: () => {
      of.queue.pause()
      recorder.pause()
    },
    resume: (first: Iterable<string>) => {
      of.queue.resume(first)
      recorder.resume()
    },
  }
  const breaker = new Breaker({ queue: pausing, probe, timers, log })
  return { breaker, workers: new Workers({ ...of, breaker, timers, log, count }) }
}
