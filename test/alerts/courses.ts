/** How the metrics of each alert go before it and during it. */

/** A series: with the labels of its target, and its values before the alert and during it. */
export interface Course {
  /** `metric{label="value"}`, or only the metric */
  readonly series: string
  /** the pod that serves it; default: `a` */
  readonly pod?: string
  /** the values of a gauge, or by how much a counter grows each minute; `none`: there is no such series */
  readonly is: 'gauge' | 'counter'
  /** as near to the alert as it may be without one */
  readonly good: number | 'none'
  readonly bad: number | 'none'
}

/** What makes one alert fire. */
export interface Case {
  readonly courses: readonly Course[]
  /** the labels of the alert besides its severity */
  readonly labels: Readonly<Record<string, string>>
  /** the value in its text, if that shows it */
  readonly value?: number
}

/** The namespace of the targets. */
export const NAMESPACE = 'experiment-controller-system'
/** After so many minutes of the first values come the second. */
export const GOOD_MINUTES = 120
const DAY_SECONDS = 86_400

const gauge = (series: string, good: Course['good'], bad: Course['bad'], pod?: string): Course => ({
  ...{ series, is: 'gauge', good, bad },
  ...(pod === undefined ? {} : { pod }),
})
const counter = (series: string, good: Course['good'], bad: Course['bad']): Course => ({
  ...{ series, is: 'counter', good, bad },
})
/** A histogram of which each minute 100 values are below `low`, or only 98 of them and two between `low` and `high`. */
const slower = (name: string, [low, high]: readonly [number, number], labels = ''): readonly Course[] => [
  counter(`${name}{${labels}le="${low}"}`, 100, 98),
  counter(`${name}{${labels}le="${high}"}`, 100, 100),
  counter(`${name}{${labels}le="+Inf"}`, 100, 100),
]

/** The series of the experiments that are not ready for a reason. */
export const notReady = (reason: string): string =>
  `experiment_controller_longest_not_ready_seconds{kind="Deployment", reason="${reason}"}`

const OF_INSTALLATION = { namespace: NAMESPACE }
const OF_POD = { ...OF_INSTALLATION, pod: 'a' }
const one = (course: Course, labels: Case['labels'] = OF_INSTALLATION): Case => ({ courses: [course], labels })

/** Of each alert, by its name without the prefix "Experiment". */
export const CASES: Readonly<Record<string, Case>> = {
  WebhookAbsent: one(gauge('webhook_certificate_not_after_seconds', 1e9, 'none')),
  WebhookUnreachable: one(
    counter(
      'apiserver_admission_webhook_rejection_count{name="validate.experimentcontroller.example.com", error_type="calling_webhook_error"}',
      0,
      1,
    ),
    { name: 'validate.experimentcontroller.example.com' },
  ),
  WebhookCertificateExpires: one(gauge('webhook_certificate_not_after_seconds', 20 * DAY_SECONDS, 14 * DAY_SECONDS)),
  WebhookCertificateUnusable: one(counter('experiment_webhook_certificate_reload_failures_total', 0, 1), OF_POD),
  WebhookInternalErrors: one(counter('experiment_webhook_internal_errors_total', 0, 1)),
  WebhookSlow: {
    courses: slower('experiment_webhook_review_seconds_bucket', [1, 5], 'path="validate", '),
    labels: { ...OF_INSTALLATION, path: 'validate' },
  },
  WebhookTimesOut: one(counter('experiment_webhook_reviews_total{outcome="timedOut"}', 0.5, 1)),
  WebhookRefusesCallers: one(counter('experiment_webhook_refused_total{why="caller"}', 1, 2), {
    ...OF_INSTALLATION,
    why: 'caller',
  }),
  WebhookConnectionsClosed: one(counter('experiment_webhook_connections_closed_total{why="handshake"}', 6, 8), {
    ...OF_INSTALLATION,
    why: 'handshake',
  }),
  WebhookReviewsOthers: one(counter('experiment_webhook_foreign_total', 0, 1)),

  ControllerAbsent: one(gauge('experiment_controller_leader', 1, 'none')),
  ControllerWithoutLeader: {
    courses: [gauge('experiment_controller_leader', 1, 0), gauge('experiment_controller_leader', 0, 0, 'b')],
    labels: OF_INSTALLATION,
  },
  ControllerSeveralLeaders: {
    courses: [gauge('experiment_controller_leader', 1, 1), gauge('experiment_controller_leader', 0, 1, 'b')],
    labels: OF_INSTALLATION,
  },
  ControllerLeaseOld: one(gauge('experiment_controller_lease_age_seconds', 30, 31), OF_POD),
  ControllerPaused: one(gauge('experiment_controller_paused', 0, 1)),
  ControllerCacheEmpty: one(gauge('experiment_controller_reflector_synced{resource="services"}', 1, 0), {
    ...OF_INSTALLATION,
    resource: 'services',
  }),
  ControllerCacheOutdated: one(
    gauge('experiment_controller_reflector_event_age_seconds{resource="services"}', 180, 181),
    {
      ...OF_POD,
      resource: 'services',
    },
  ),
  ControllerWatchesFail: {
    courses: [
      counter('experiment_controller_reflector_restarts_total{resource="services", cause="unreachable"}', 0.9, 2),
      // a cluster without Argo Rollouts: the absence is counted once, however often it is looked for
      gauge('experiment_controller_reflector_restarts_total{resource="rollouts", cause="kindAbsent"}', 1, 1),
    ],
    labels: { ...OF_INSTALLATION, resource: 'services', cause: 'unreachable' },
  },
  ControllerForbidden: {
    courses: [
      counter('experiment_controller_kube_requests_total{verb="list", resource="services", code="403"}', 0, 1),
      counter('experiment_controller_kube_requests_total{verb="patch", resource="deployments", code="403"}', 1, 1),
      counter('experiment_controller_kube_requests_total{verb="list", resource="services", code="200"}', 1, 1),
    ],
    labels: { ...OF_INSTALLATION, verb: 'list', resource: 'services' },
  },
  ControllerPassesFail: {
    courses: [
      counter('experiment_controller_reconcile_total{outcome="error"}', 2, 3),
      counter('experiment_controller_reconcile_total{outcome="done"}', 8, 8),
    ],
    labels: OF_INSTALLATION,
  },
  ControllerPassStuck: one(gauge('experiment_controller_longest_reconcile_seconds', 100, 101), OF_POD),
  ControllerQueueSlow: {
    courses: slower('experiment_controller_queue_wait_seconds_bucket', [10, 30]),
    labels: OF_INSTALLATION,
  },
  ControllerBugs: one(counter('experiment_controller_handler_errors_total', 0, 1)),
  ControllerEventsDropped: one(counter('experiment_controller_events_dropped_total', 0, 1)),

  OrphanedForks: one(gauge('experiment_controller_orphaned_forks', 0, 1)),
  OrphanedServices: one(gauge('experiment_controller_orphaned_services', 0, 1)),
  OrphanedSources: one(gauge('experiment_controller_orphaned_sources', 0, 1)),
  HeldForks: one(gauge('experiment_controller_held_forks', 0, 1)),
  PolicyMistakes: one(gauge('experiment_controller_policy_mistakes', 0, 1)),
  PolicyViolations: {
    ...one(gauge('experiment_controller_policy_violations{action="Deny"}', 0, 3)),
    value: 3,
  },
  AnalysisLate: one(gauge('experiment_controller_analysis_lag_seconds', 600, 601)),
  AnalysisProviderFails: {
    courses: [
      counter('experiment_controller_analysis_polls_total{type="Prometheus", outcome="failed"}', 1, 3),
      counter('experiment_controller_analysis_polls_total{type="Prometheus", outcome="data"}', 2, 2),
    ],
    labels: { ...OF_INSTALLATION, type: 'Prometheus' },
  },
  NotReady: {
    courses: [
      gauge(notReady('PodsNotReady'), 21_600, 21_601),
      gauge(notReady('PodsNotReady'), 21_600, 21_601, 'b'),
      ...['Aborted', 'Expired', 'RolledBack', 'Undone'].map((why) => gauge(notReady(why), DAY_SECONDS, DAY_SECONDS)),
    ],
    labels: { ...OF_INSTALLATION, kind: 'Deployment', reason: 'PodsNotReady' },
  },
  ForksAreChanged: one(counter('experiment_controller_drift_repairs_total{kind="Deployment"}', 0.7, 0.9), {
    ...OF_INSTALLATION,
    kind: 'Deployment',
  }),
}
