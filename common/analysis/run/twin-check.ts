import type { Metric } from '../../api/analysis/metric.ts'
import type { RunMetric, RunTwin } from '../kinds/run.ts'
import type { DecisionBounds, MetricEngine } from '../metrics/metric-engine.ts'
import { METRIC_ENGINES } from '../metrics/registry.ts'
import type { WindowData } from '../window-data.ts'

/** The reason of a metric whose twin is shown to be worse than the source. It never changes. */
export const CONTROLS_DIFFER = 'ControlsDiffer'

/**
 * How much evidence is needed that the twin is worse than the source. The metrics do not share α for it, because it is
 * no verdict about the fork.
 */
const needsOfTwin = ({ alpha }: Pick<DecisionBounds, 'alpha'>): number => Math.log(1 / alpha)

/** Whether the twin of a kind is compared with the source. Kinds that bound no error show nothing about it. */
export const isCheckedByTwin = ({ kind }: Pick<Metric, 'kind'>): boolean => METRIC_ENGINES[kind].isBounded

interface TwinCheckInput {
  /** the memory of the engine; empty before the first window */
  readonly state: readonly number[]
  readonly of: Metric
  readonly question: DecisionBounds
}

/**
 * The evidence with one more window, in which the twin is the treatment and the source is the control. Undefined if the
 * kind cannot use such data.
 */
export function checkedTwin({ state, of, question }: TwinCheckInput, data: WindowData): RunTwin | undefined {
  const engine: MetricEngine = METRIC_ENGINES[of.kind]
  const folded = engine.fold(state, data, of)
  if (!folded) return undefined
  const { harm } = engine.judge(folded, of, question)
  return { logE: harm?.logE ?? 0, needs: needsOfTwin(question), state: folded }
}

/**
 * `metric` with the evidence about its twin. Once the twin is shown to be worse than the source, the metric is
 * inconclusive for good: the evidence holds at every look, so later windows cannot withdraw it.
 */
export function withTwinEvidence(
  metric: RunMetric,
  former: RunMetric,
  checked: RunTwin | undefined,
  atMs: number,
): RunMetric {
  const twin = checked ?? former.twin
  const wasShown = former.reason === CONTROLS_DIFFER
  const isShown = wasShown || (twin !== undefined && twin.logE >= twin.needs)
  const metricWithTwin = twin === undefined ? metric : { ...metric, twin }
  if (!isShown) return metricWithTwin
  const since = wasShown ? former.since : new Date(atMs).toISOString()
  return { ...metricWithTwin, verdict: 'Inconclusive', reason: CONTROLS_DIFFER, since }
}
