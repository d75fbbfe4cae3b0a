import { type Alert, OF_INSTALLATION } from './alert.ts'

/** Alerts about which controller works, and whether one does. The names lack the prefix "Experiment". */
export const LEADER_ALERTS: Readonly<Record<string, Alert>> = {
  ControllerAbsent: {
    expr: `absent(experiment_controller_leader{${OF_INSTALLATION}})`,
    for: '5m',
    severity: 'critical',
    summary: 'No controller of experiments is being scraped.',
    description:
      'No replica runs, or the monitor may not reach port 8081. Forks keep running; nothing follows or expires.',
    remedy: 'Look at the pods of the Deployment experiment-controller, and at the NetworkPolicy of the same name.',
    section: 'Replicas of the controller',
  },
  ControllerWithoutLeader: {
    // the second half: replicas that end after two minutes leave gaps, in which `for` would begin again
    expr:
      'sum by (namespace) (experiment_controller_leader) == 0 or ' +
      'max by (namespace) (max_over_time(experiment_controller_leader[10m])) == 0',
    for: '2m',
    severity: 'critical',
    summary: 'No controller in {{ $labels.namespace }} holds the Lease.',
    description: 'Nothing is created, updated or removed. Forks keep running.',
    remedy: 'Look at the log of the replicas, and whether their account may update the Lease experiment-controller.',
    section: 'Replicas of the controller',
  },
  ControllerSeveralLeaders: {
    expr: 'sum by (namespace) (experiment_controller_leader) > 1',
    for: '5m',
    severity: 'critical',
    summary: 'More than one controller in {{ $labels.namespace }} believes to lead.',
    description: 'They would undo the writes of each other.',
    remedy: 'Delete the pods of the controller. If it happens again, report it.',
    section: 'Replicas of the controller',
  },
  ControllerLeaseOld: {
    expr: 'max by (namespace, pod) (experiment_controller_lease_age_seconds) > 30',
    for: '2m',
    severity: 'warning',
    summary: '{{ $labels.pod }} has not seen the Lease change for 30 s.',
    description: 'The leader renews it every two seconds, and another replica takes over after 15 s.',
    remedy: 'Look whether the pods of the controller reach the API server.',
    section: 'Replicas of the controller',
  },
  ControllerPaused: {
    expr: 'max by (namespace) (experiment_controller_paused) == 1',
    for: '5m',
    severity: 'warning',
    summary: 'The controller in {{ $labels.namespace }} waits for the API server.',
    description: 'Several requests in a row failed. It asks again every 15 s and goes on by itself.',
    remedy: 'Look at the API server, and at the metric experiment_controller_kube_requests_total by code.',
    section: 'Troubleshooting',
  },
}

const SYNCED = 'experiment_controller_reflector_synced'

/** Alerts about what the controller reads and does. The names lack the prefix "Experiment". */
export const WORK_ALERTS: Readonly<Record<string, Alert>> = {
  ControllerCacheEmpty: {
    expr: `min by (namespace, resource) (${SYNCED}) == 0 or max by (namespace, resource) (max_over_time(${SYNCED}[15m])) == 0`,
    for: '5m',
    severity: 'warning',
    summary: 'The controller in {{ $labels.namespace }} cannot list {{ $labels.resource }}.',
    description: 'It starts no work before it has listed everything, and exits after two minutes.',
    remedy: 'Apply the manifests again: a permission may be missing. The log says what the API server answers.',
    section: 'Troubleshooting',
  },
  ControllerCacheOutdated: {
    expr: 'max by (namespace, pod, resource) (experiment_controller_reflector_event_age_seconds) > 180',
    for: '2m',
    severity: 'warning',
    summary: '{{ $labels.pod }} has heard nothing about {{ $labels.resource }} for three minutes.',
    description: 'The API server sends a line each minute. Decisions may be about old objects.',
    remedy: 'Look at the connection to the API server. If it works, delete the pod and report this.',
    section: 'Troubleshooting',
  },
  ControllerWatchesFail: {
    expr: 'sum by (namespace, resource, cause) (increase(experiment_controller_reflector_restarts_total[15m])) > 15',
    severity: 'warning',
    summary: 'Watches of {{ $labels.resource }} fail again and again ({{ $labels.cause }}).',
    description: 'The controller connects again each time. Changes are seen late.',
    remedy: 'For "forbidden", apply the manifests again. Else look at the API server and what is in front of it.',
    section: 'Troubleshooting',
  },
  ControllerForbidden: {
    expr: 'sum by (namespace, verb, resource) (increase(experiment_controller_kube_requests_total{code="403", verb=~"get|list|watch"}[15m])) > 0',
    severity: 'warning',
    summary: 'The controller in {{ $labels.namespace }} may not {{ $labels.verb }} {{ $labels.resource }}.',
    description: 'A permission of the manifests is missing.',
    remedy: 'Apply the manifests again.',
    section: 'What the programs may do',
  },
  ControllerPassesFail: {
    expr: 'sum by (namespace) (rate(experiment_controller_reconcile_total{outcome="error"}[10m])) / sum by (namespace) (rate(experiment_controller_reconcile_total[10m])) > 0.2',
    for: '15m',
    severity: 'warning',
    summary: 'One pass in five of the controller in {{ $labels.namespace }} ends with an error.',
    description: 'The API server fails, or there is a bug. Each experiment is tried again within a minute.',
    remedy: 'Look at the log for lines with the level error. Report them if the API server works.',
    section: 'Troubleshooting',
  },
  ControllerPassStuck: {
    // The probe restarts the container soon after two minutes, in which `for` would begin again.
    expr: 'max by (namespace, pod) (max_over_time(experiment_controller_longest_reconcile_seconds[15m])) > 100',
    severity: 'warning',
    summary: 'A pass of {{ $labels.pod }} has run for more than 100 s.',
    description: 'Passes are aborted after 90 s. If one goes on for two minutes, the container is restarted.',
    remedy: 'Report the log of the replica. After the restart, kubectl logs --previous prints it.',
    section: 'Troubleshooting',
  },
  ControllerQueueSlow: {
    expr: 'histogram_quantile(0.99, sum by (namespace, le) (rate(experiment_controller_queue_wait_seconds_bucket[10m]))) > 10',
    for: '15m',
    severity: 'warning',
    summary: 'Experiments in {{ $labels.namespace }} wait for more than 10 s.',
    description: 'More changes than the workers of the controller can process.',
    remedy:
      'Look at the metric experiment_controller_kube_request_seconds. If the API server is fast, set WORKERS higher.',
    section: 'Limits of size',
  },
  ControllerBugs: {
    expr: 'sum by (namespace) (increase(experiment_controller_handler_errors_total[1h])) > 0',
    severity: 'warning',
    summary: 'The controller in {{ $labels.namespace }} has a bug in what runs when a cache changes.',
    description: 'A change may be seen only by the hourly pass.',
    remedy: 'Report the lines of the log with the level error.',
    section: 'Troubleshooting',
  },
  ControllerEventsDropped: {
    expr: 'sum by (namespace) (increase(experiment_controller_events_dropped_total[1h])) > 0',
    severity: 'info',
    summary: 'The controller in {{ $labels.namespace }} could not send some Events.',
    description: 'The status of each experiment says the same. Only the history is incomplete.',
    remedy: 'Look whether a quota or a webhook refuses Events.',
    section: 'Troubleshooting',
  },
}
