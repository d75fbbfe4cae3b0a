import { readyOf } from '../common/api/conditions.ts'
import { isReason } from '../common/api/reasons.ts'
import type { Strategy } from '../common/api/strategy.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { Clock } from '../common/program/clock.ts'
import { counted, describedIn, largest, type MetricDescription, type Metrics } from '../common/program/metrics.ts'

/** The metrics of the stored experiments by their names without the prefix. */
export const EXPERIMENT_METRICS = {
  experiments: {
    is: 'gauge',
    help: 'Experiments, by kind of the source, and by status and reason of the condition Ready.',
    labels: ['kind', 'ready', 'reason'],
    addsUp: true,
  },
  longest_not_ready_seconds: {
    is: 'gauge',
    help: 'Seconds since Ready became False, the longest of all experiments, by kind of the source and reason.',
    labels: ['kind', 'reason'],
  },
  runs: {
    is: 'gauge',
    help: 'Experiments with a run, by strategy (None: only a promotion) and phase.',
    labels: ['strategy', 'phase'],
    addsUp: true,
  },
} as const satisfies Readonly<Record<string, MetricDescription>>

/** What is read of experiments at each scrape. */
export interface MeasuredExperiments {
  readonly experiments: () => readonly ExperimentDeployment[]
  readonly clock: Clock
}

/** Registers the metrics of experiments with `prefix` before their names. To be called once. */
export function measureExperiments(metrics: Metrics, prefix: string, { experiments, clock }: MeasuredExperiments) {
  const of = describedIn(EXPERIMENT_METRICS, prefix)
  metrics.gauges({ ...of('experiments'), read: () => counted(experiments().map(readyLabels)) })
  metrics.gauges({
    ...of('longest_not_ready_seconds'),
    read: () => largest(experiments().flatMap((experiment) => notReady(experiment, clock()))),
  })
  metrics.gauges({ ...of('runs'), read: () => counted(experiments().flatMap(runLabels)) })
}

function readyLabels({ spec, status }: ExperimentDeployment) {
  const ready = readyOf(status)
  const reason = isReason(ready?.reason) ? ready.reason : 'Other' // another client may have written it
  return { kind: spec.sourceRef.kind, ready: ready?.status ?? 'Unknown', reason }
}

/** For how many seconds an experiment has not been ready, for whatever reasons; none if it is ready. */
function notReady(experiment: ExperimentDeployment, now: Date) {
  const { kind, ready, reason } = readyLabels(experiment)
  const seconds = (now.getTime() - Date.parse(readyOf(experiment.status)?.lastTransitionTime ?? '')) / 1_000
  // another client may have written a text that is no time, or a time in the future
  return ready === 'False' && seconds >= 0 ? [[{ kind, reason }, seconds] as const] : []
}

function runLabels({ spec, status }: ExperimentDeployment) {
  const { phase } = status?.strategy ?? {}
  return phase === undefined ? [] : [{ strategy: strategyName(spec.strategy), phase }]
}

function strategyName(strategy: Strategy | undefined): string {
  if (strategy === undefined) return 'None'
  return strategy.blueGreen ? 'BlueGreen' : 'Canary'
}
