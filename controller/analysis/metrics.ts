import type { ProviderType } from '../../common/analysis/kinds/provider.ts'
import type { AnalysisRun, RunWindows } from '../../common/analysis/kinds/run.ts'
import type { WindowAnswer } from '../../common/analysis/query/window-query.ts'
import { counted, describedIn, type MetricDescription, type Metrics } from '../../common/program/metrics.ts'

/** From a Prometheus beside the controller to one that answers shortly before it is given up. */
const POLL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The metrics of analyses by their names without the prefix. Without the component all of them are 0 or absent. */
export const ANALYSIS_METRICS = {
  analysis_polls_total: {
    is: 'counter',
    help: 'Windows that providers were asked for, by type of the provider and outcome (data, silent, failed).',
    labels: ['type', 'outcome'],
  },
  analysis_poll_seconds: {
    is: 'histogram',
    help: 'Seconds until a provider answered or failed, by its type.',
    labels: ['type'],
    seconds: POLL_SECONDS,
  },
  analysis_runs: { is: 'gauge', help: 'Stored analysis runs, by verdict.', labels: ['verdict'], addsUp: true },
  analysis_lag_seconds: {
    is: 'gauge',
    help: 'How late the most overdue evaluation of an analysis run is, in seconds. Failing providers are asked less often.',
  },
  analysis_windows_total: {
    is: 'counter',
    help: 'Windows that analysis runs recorded, by outcome (counted, empty, unusable, skipped).',
    labels: ['outcome'],
  },
  analysis_answers_waiting: {
    is: 'gauge',
    help: 'Polls of analysis runs that no pass has recorded yet.',
    addsUp: true,
  },
} as const satisfies Readonly<Record<string, MetricDescription>>

/** Counts what analyses do. */
export interface AnalysisObserver {
  /** a provider answered for one window, after `seconds` */
  readonly polled: (type: ProviderType, outcome: WindowAnswer['is'], seconds: number) => void
  /** a look at a run recorded `count` more windows */
  readonly recorded: (outcome: keyof RunWindows, count: number) => void
}

/** What is read of analyses at each scrape. */
export interface MeasuredAnalysis {
  readonly runs: () => readonly AnalysisRun[]
  /** polls that no pass has recorded yet */
  readonly waiting: () => number
  /** how late the most overdue look is */
  readonly lagMs: () => number
}

/** Registers the metrics of analyses with `prefix` before their names. `measure` is to be called once. */
export function analysisMetrics(metrics: Metrics, prefix: string) {
  const of = describedIn(ANALYSIS_METRICS, prefix)
  const polls = metrics.counter(of('analysis_polls_total'))
  const pollSeconds = metrics.histogram(of('analysis_poll_seconds'))
  const windows = metrics.counter(of('analysis_windows_total'))
  const observer: AnalysisObserver = {
    polled: (type, outcome, seconds) => {
      polls({ type, outcome })
      pollSeconds({ type }, seconds)
    },
    recorded: (outcome, count) => windows({ outcome }, count),
  }
  const measure = (measured: MeasuredAnalysis | undefined): void => {
    metrics.gauges({ ...of('analysis_runs'), read: () => counted((measured?.runs() ?? []).map(verdictOf)) })
    metrics.gauge({ ...of('analysis_lag_seconds'), read: () => (measured?.lagMs() ?? 0) / 1_000 })
    metrics.gauge({ ...of('analysis_answers_waiting'), read: () => measured?.waiting() })
  }
  return { observer, measure }
}

/** The verdict of a run. It is Wait before the first look. */
const verdictOf = ({ status }: AnalysisRun) => ({ verdict: status?.verdict ?? 'Wait' })

const OUTCOMES: readonly (keyof RunWindows)[] = ['counted', 'empty', 'unusable', 'skipped']

/** Reports the windows that a look at a run has recorded. */
export function observeLook(observer: AnalysisObserver, before: AnalysisRun, after: AnalysisRun): void {
  for (const outcome of OUTCOMES) {
    const more = (after.status?.windows[outcome] ?? 0) - (before.status?.windows[outcome] ?? 0)
    if (more > 0) observer.recorded(outcome, more)
  }
}
