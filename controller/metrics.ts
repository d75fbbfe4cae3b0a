import type { Metrics } from '../common/program/metrics.ts'
import type { Controller } from './controller.ts'
import type { Leader } from './runtime/leader.ts'

/** The beginning of the names of all metrics of the controller. */
export const METRIC_PREFIX = 'experiment_controller_'

interface Measured {
  readonly controller: Pick<Controller, 'violating' | 'policyMistakes' | 'orphaned'>
  readonly leader: Pick<Leader, 'held' | 'leaseAgeSeconds'>
}

/** Adds the metrics of the controller, besides those of Node. */
export function controllerMetrics(metrics: Metrics, { controller, leader }: Measured): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number | undefined])[] = [
    [
      'policy_violations',
      'Experiments that violate a policy. The policy is newer than the experiment, or only warns.',
      () => controller.violating,
    ],
    [
      'policy_mistakes',
      'Paths, patterns and labels in ExperimentPolicies that can match nothing. The condition Valid names them.',
      () => controller.policyMistakes,
    ],
    [
      'orphaned_forks',
      'Forks in other namespaces whose experiment is gone. The controller deletes them.',
      () => controller.orphaned,
    ],
    ['leader', 'Whether this replica writes: 1 or 0. The sum over all replicas is 1.', () => Number(leader.held())],
    [
      'lease_age_seconds',
      'Time since this replica renewed the Lease, or saw another replica renew it.',
      () => leader.leaseAgeSeconds,
    ],
  ]
  for (const [name, help, read] of gauges) metrics.gauge({ name: `${METRIC_PREFIX}${name}`, help, read })
}
