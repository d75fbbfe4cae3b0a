import type { Sent } from '../common/kube/client/client.ts'
import { VALIDATION_ACTIONS, type ValidationAction } from '../common/policy/policy.ts'
import { describedIn, type MetricDescription, type MetricSeries, type Metrics } from '../common/program/metrics.ts'
import { ANALYSIS_METRICS, analysisMetrics, type MeasuredAnalysis } from './analysis/metrics.ts'
import { EXPERIMENT_METRICS, type MeasuredExperiments, measureExperiments } from './experiment-metrics.ts'
import type { PassOutcome } from './pass-metrics.ts'
import type { QueueObserver } from './runtime/queue.ts'

/** The beginning of the names of the controller's metrics, and of Node's default metrics. */
export const METRIC_PREFIX = 'experiment_controller_'

/** From a pass that finds nothing to do to one that is aborted after 90 s. */
const PASS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 90]

/** What experiments leave behind. */
const LEFTOVERS = {
  orphaned_forks: {
    is: 'gauge',
    help: 'Forks whose experiment is gone, found by their labels. They are deleted.',
    addsUp: true,
  },
  orphaned_services: {
    is: 'gauge',
    help: 'Services that send only to a fork that does not exist. The controller returns those that it has limited.',
    addsUp: true,
  },
  scaled_sources: {
    is: 'gauge',
    help: 'Deployments that canaries with scaleDownSource have made smaller. Before the component promotion is removed, there must be none.',
    addsUp: true,
  },
  orphaned_sources: {
    is: 'gauge',
    help: 'Deployments with the label of a canary that made them smaller, and without that experiment. They get their pods back.',
    addsUp: true,
  },
  sources_left_small_total: {
    is: 'counter',
    help: 'Deployments that an experiment left smaller than they were, by what became of them (returned: they got their pods back; kept: they have the size that somebody else set).',
    labels: ['outcome'],
  },
  held_forks: {
    is: 'gauge',
    help: 'Forks and twins that are being deleted, and that a finalizer of somebody else keeps. It is removed after a minute.',
    addsUp: true,
  },
} as const satisfies Readonly<Record<string, MetricDescription>>

/**
 * Every metric of the controller by its name without the prefix. Values of labels come from short lists in our code, so
 * that a cluster of 1,000 experiments has as many series as one of 10.
 */
export const METRICS = {
  reconcile_total: {
    is: 'counter',
    help: 'Passes over experiments, by kind of the source and outcome.',
    labels: ['kind', 'outcome'],
  },
  reconcile_seconds: { is: 'histogram', help: 'Seconds of a pass.', labels: ['kind'], seconds: PASS_SECONDS },
  longest_reconcile_seconds: { is: 'gauge', help: 'Seconds since the beginning of the oldest running pass.' },
  ...EXPERIMENT_METRICS,
  run_moves_total: { is: 'counter', help: 'Moves of runs, by kind and reason.', labels: ['kind', 'reason'] },
  promotions_total: {
    is: 'counter',
    help: 'Ends of promotions, by kind of the source, mode and outcome (promoted, reverted, undone).',
    labels: ['kind', 'mode', 'outcome'],
  },
  drift_repairs_total: {
    is: 'counter',
    help: 'Writes that undid the change of another client in a fork.',
    labels: ['kind'],
  },
  queue_depth: { is: 'gauge', help: 'Experiments that wait for a pass.', addsUp: true },
  queue_adds_total: { is: 'counter', help: 'Experiments that were added to the queue.' },
  queue_retries_total: { is: 'counter', help: 'Passes that failed and are repeated after a backoff.' },
  queue_wait_seconds: { is: 'histogram', help: 'Seconds that an experiment waited for a pass.', seconds: PASS_SECONDS },
  workers_busy: { is: 'gauge', help: 'Passes that run.', addsUp: true },
  kube_requests_total: {
    is: 'counter',
    help: 'Requests to the API server, by status of the answer. Without an answer the code is "error".',
    labels: ['verb', 'resource', 'code'],
  },
  kube_request_seconds: {
    is: 'histogram',
    help: 'Seconds until the answer of the API server, and for a watch until it is open.',
    labels: ['verb', 'resource'],
    seconds: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  reflector_synced: {
    is: 'gauge',
    help: '1 if the cache of the resource has been filled, or if the resource is known to be absent.',
    labels: ['resource'],
  },
  reflector_objects: { is: 'gauge', help: 'Objects in the cache of the resource.', labels: ['resource'] },
  reflector_restarts_total: {
    is: 'counter',
    help: 'Failed lists and watches, by cause. A watch that ends in order is not counted.',
    labels: ['resource', 'cause'],
  },
  reflector_event_age_seconds: {
    is: 'gauge',
    help: 'Seconds since the last line of the watch. The API server sends one each minute.',
    labels: ['resource'],
  },
  handler_errors_total: { is: 'counter', help: 'Bugs in what runs when a cache changes.' },
  leader: { is: 'gauge', help: '1 if this replica writes, else 0. The sum over all replicas is 1.', combine: 'sum' },
  lease_age_seconds: { is: 'gauge', help: 'Seconds since this replica renewed the Lease, or saw it renewed.' },
  paused: { is: 'gauge', help: '1 while no passes begin, because the API server fails.' },
  events_dropped_total: { is: 'counter', help: 'Events that could not be sent, or were too many.' },
  policy_violations: {
    is: 'gauge',
    help: 'Experiments that violate a policy, by validation action of the policy. Each counts once per action.',
    labels: ['action'],
    addsUp: true,
  },
  policy_mistakes: {
    is: 'gauge',
    help: 'Paths, patterns and labels in ExperimentPolicies that can match nothing. The condition Valid names them, or the log in an installation for one namespace.',
  },
  ...LEFTOVERS,
  ...ANALYSIS_METRICS,
} as const satisfies Readonly<Record<string, MetricDescription>>

type Named = typeof METRICS

/** A cache, as metrics see it. */
interface MeasuredReflector {
  readonly hasSynced: boolean
  readonly size: number
  /** the time since the last line of its watch; undefined without a watch */
  readonly silentMs: number | undefined
}

/** What is read at each scrape. */
export interface Measured extends MeasuredExperiments {
  readonly queue: { readonly depth: number }
  readonly breaker: { readonly isOpen: boolean }
  readonly workers: { readonly busy: number; readonly longestMs: number }
  readonly reflectors: readonly { readonly name: string; readonly reflector: MeasuredReflector }[]
  readonly recorder: { readonly droppedCount: number }
  readonly policies: { readonly violating: (action: ValidationAction) => number; readonly mistakes: () => number }
  readonly orphans: {
    readonly count: number
    readonly services: number
    readonly held: number
    readonly sources: number
    readonly smaller: number
  }
  /** undefined: the component is not installed */
  readonly analysis?: MeasuredAnalysis | undefined
  readonly leader: { readonly held: () => boolean; readonly leaseAgeSeconds: number | undefined }
}

/** Registers all metrics of the controller. Returns the functions that count what happens. */
export function controllerMetrics(metrics: Metrics) {
  const of = describedIn(METRICS, METRIC_PREFIX)
  const counter = <N extends keyof Named>(name: N) => metrics.counter(of(name))
  const histogram = <N extends keyof Named>(name: N) => metrics.histogram(of(name))
  const analysis = analysisMetrics(metrics, METRIC_PREFIX)
  const passes = counter('reconcile_total')
  const passSeconds = histogram('reconcile_seconds')
  const requests = counter('kube_requests_total')
  const requestSeconds = histogram('kube_request_seconds')
  const waits = histogram('queue_wait_seconds')
  const adds = counter('queue_adds_total')
  const retries = counter('queue_retries_total')
  const handlerErrors = counter('handler_errors_total')
  const queue: QueueObserver = {
    added: () => adds({}),
    retried: () => retries({}),
    waited: (seconds) => waits({}, seconds),
  }
  return {
    queue,
    passed: (kind: string, outcome: PassOutcome, seconds: number): void => {
      passes({ kind, outcome })
      passSeconds({ kind }, seconds)
    },
    sent: ({ verb, resource, code, seconds }: Sent): void => {
      requests({ verb, resource, code })
      requestSeconds({ verb, resource }, seconds)
    },
    repaired: counter('drift_repairs_total'),
    moved: counter('run_moves_total'),
    promoted: counter('promotions_total'),
    sourceLeftSmall: counter('sources_left_small_total'),
    reflectorFailed: counter('reflector_restarts_total'),
    handlerFailed: (): void => handlerErrors({}),
    analysis: analysis.observer,
    /** Registers what is read at each scrape. To be called once. */
    measure: (measured: Measured): void => {
      const gauge = (name: keyof Named, read: () => number | undefined) =>
        metrics.gauge({ ...of(name), labels: [], read })
      gauge('queue_depth', () => measured.queue.depth)
      gauge('leader', () => Number(measured.leader.held()))
      gauge('lease_age_seconds', () => measured.leader.leaseAgeSeconds)
      gauge('paused', () => Number(measured.breaker.isOpen))
      gauge('workers_busy', () => measured.workers.busy)
      gauge('longest_reconcile_seconds', () => measured.workers.longestMs / 1_000)
      gauge('policy_mistakes', () => measured.policies.mistakes())
      gauge('orphaned_forks', () => measured.orphans.count)
      gauge('orphaned_services', () => measured.orphans.services)
      gauge('scaled_sources', () => measured.orphans.smaller)
      gauge('orphaned_sources', () => measured.orphans.sources)
      gauge('held_forks', () => measured.orphans.held)
      metrics.total({ ...of('events_dropped_total'), labels: [], read: () => measured.recorder.droppedCount })
      measureExperiments(metrics, METRIC_PREFIX, measured)
      metrics.gauges({
        ...of('policy_violations'),
        read: () => VALIDATION_ACTIONS.map((action) => [{ action }, measured.policies.violating(action)]),
      })
      analysis.measure(measured.analysis)
      const perReflector = (
        name: 'reflector_synced' | 'reflector_objects' | 'reflector_event_age_seconds',
        read: (reflector: MeasuredReflector) => number | undefined,
      ) => metrics.gauges({ ...of(name), read: () => reflectorSeries(measured, read) })
      perReflector('reflector_synced', ({ hasSynced }) => Number(hasSynced))
      perReflector('reflector_objects', ({ size }) => size)
      perReflector('reflector_event_age_seconds', ({ silentMs }) => silentMs && silentMs / 1_000)
    },
  }
}

/** The functions that count what happens in the controller. */
export type ControllerMetrics = ReturnType<typeof controllerMetrics>

function reflectorSeries(
  { reflectors }: Measured,
  read: (reflector: MeasuredReflector) => number | undefined,
): readonly MetricSeries<'resource'>[] {
  return reflectors.flatMap(({ name, reflector }) => {
    const value = read(reflector)
    return value === undefined ? [] : [[{ resource: name }, value] as const]
  })
}
