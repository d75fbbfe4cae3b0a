import type { Alert } from './alert.ts'

/** What experiments leave behind. */
const LEFTOVERS: Readonly<Record<string, Alert>> = {
  OrphanedForks: {
    expr: 'max by (namespace) (experiment_controller_orphaned_forks) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'Forks whose experiment is gone are still there.',
    description: 'They get requests until they are deleted. The controller tries every 30 s.',
    remedy:
      'Read the Events with the reason Orphaned. If they name a Service, free it as they say; otherwise delete these forks.',
    section: 'If the installation was removed first',
  },
  OrphanedServices: {
    expr: 'max by (namespace) (experiment_controller_orphaned_services) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'A Service sends only to a fork that does not exist, so to nobody.',
    description:
      'Its experiment is gone, too. The controller returns within a minute what it has limited itself, where it may change Services.',
    remedy:
      'Read the log of the controller, or the Events of Services with the reason Orphaned. Remove the key experiment-controller.example.com/experiment-id from the selector of the Service.',
    section: 'Gate and cut-over',
  },
  OrphanedSources: {
    expr: 'max by (namespace) (experiment_controller_orphaned_sources) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'A Deployment is smaller than it was, and the canary that made it smaller is gone.',
    description:
      'The controller gives it its pods back within a minute, where it may change sources, and waits until they are available. The fork of that canary stays until then.',
    remedy:
      'List such Deployments with kubectl get deployments --all-namespaces --selector=experiment-controller.example.com/scaled, and read their Events. One with the reason Orphaned has the command that gives the pods back.',
    section: 'If the installation was removed first',
  },
  HeldForks: {
    expr: 'max by (namespace) (experiment_controller_held_forks) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'A finalizer of somebody else keeps forks that are being deleted.',
    description:
      'The controller removes it after a minute, unless the experiment still wants the fork, a Service sends only to it, or the API server refuses.',
    remedy: 'Read the Events with the reason HeldByFinalizer. If the finalizer stays, remove it from the fork by hand.',
    section: 'Troubleshooting',
  },
}

/** Alerts about experiments. The names lack the prefix "Experiment". */
export const EXPERIMENT_ALERTS: Readonly<Record<string, Alert>> = {
  ...LEFTOVERS,
  PolicyMistakes: {
    expr: 'max by (namespace) (experiment_controller_policy_mistakes) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'An ExperimentPolicy has a path, a pattern or a label that matches nothing.',
    description:
      'It may allow what it should deny. The condition Valid of the policy names the place; in an installation for one namespace, the log of the controller does.',
    remedy: 'Correct the policy.',
    section: 'Limit experiments',
  },
  PolicyViolations: {
    expr: 'max by (namespace) (experiment_controller_policy_violations) > 0',
    for: '1h',
    severity: 'info',
    summary: '{{ $value }} experiments violate a policy.',
    description: 'The policy is newer than the experiments, or it only warns. Nothing is deleted.',
    remedy: 'Look at experiments with PolicyCompliant=False. Change the policy, or ask their authors to change them.',
    section: 'Limit experiments',
  },
  AnalysisLate: {
    expr: 'max by (namespace) (experiment_controller_analysis_lag_seconds) > 600',
    for: '15m',
    severity: 'warning',
    summary: 'An analysis in {{ $labels.namespace }} should have been looked at ten minutes ago.',
    description:
      'A provider fails, is slow or is asked by too many. Until it answers, nothing passes and nothing fails.',
    remedy:
      'Look at experiment_controller_analysis_poll_seconds. If the provider can do more, raise its maxConcurrent.',
    section: 'Analyses',
  },
  AnalysisProviderFails: {
    expr:
      'sum by (namespace, type) (increase(experiment_controller_analysis_polls_total{outcome="failed"}[30m]))' +
      ' > 0.5 * sum by (namespace, type) (increase(experiment_controller_analysis_polls_total[30m]))',
    for: '15m',
    severity: 'warning',
    summary: 'Providers of analyses do not answer ({{ $labels.type }}).',
    description: 'Analyses wait, and end with the verdict Error when that takes too long. No experiment passes by it.',
    remedy:
      'The column MESSAGE of kubectl get expdrun --all-namespaces says with what the provider of an analysis run fails.',
    section: 'Analyses',
  },
  NotReady: {
    // A reason may come and go. An experiment that starts again has not been ready since it ended, hence `for`.
    expr: 'max by (namespace, kind, reason) (max_over_time(experiment_controller_longest_not_ready_seconds{reason!~"Aborted|Expired|RolledBack|Undone"}[5m])) > 6 * 3600',
    for: '10m',
    severity: 'info',
    summary: 'An experiment has not been ready for six hours ({{ $labels.kind }}, {{ $labels.reason }}).',
    description: 'Its message says why. Those whose time is over, or that were taken back, do not count.',
    remedy: 'List experiments with kubectl get expd --all-namespaces, and look up the reason in docs/reasons.md.',
    section: 'Troubleshooting',
  },
  ForksAreChanged: {
    expr: 'sum by (namespace, kind) (increase(experiment_controller_drift_repairs_total[1h])) > 45',
    for: '1h',
    severity: 'info',
    summary: 'Another program changes forks again and again ({{ $labels.kind }}).',
    description: 'The controller restores them, at most once a minute for each fork that is changed that often.',
    remedy: 'Find the program by the managed fields of the fork, and exclude objects with the label of forks there.',
    section: 'Troubleshooting',
  },
}
