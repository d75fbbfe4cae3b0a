import type { Metric, MetricKind } from '../../api/analysis/metric.ts'
import { HEALTH_ENGINE } from './health.ts'
import { LATENCY, STRATIFIED_LATENCY } from './latency.ts'
import type { MetricEngine } from './metric-engine.ts'
import { DECISION, MANN_WHITNEY } from './one-look.ts'
import { RATE_ENGINE } from './rate.ts'
import { STRATIFIED_RATE } from './rate-strata.ts'
import { THRESHOLD } from './threshold.ts'
import { isSound } from './validity.ts'
import { VALUE } from './value.ts'

/** The engine, which refuses windows that no provider can have counted. */
const guarded = ({ fold, ...engine }: MetricEngine): MetricEngine => ({
  ...engine,
  fold: (state, data, rule) => (isSound(data) ? fold(state, data, rule) : undefined),
})

/** The statistics of each kind of metrics. */
export const METRIC_ENGINES = {
  Latency: guarded(LATENCY),
  ErrorRate: guarded(RATE_ENGINE),
  Ratio: guarded(RATE_ENGINE),
  Value: guarded(VALUE),
  Health: guarded(HEALTH_ENGINE),
  Threshold: guarded(THRESHOLD),
  MannWhitney: guarded(MANN_WHITNEY),
  Decision: guarded(DECISION),
} as const satisfies Readonly<Record<string, MetricEngine>>

/** The statistics of each kind of metrics that can be compared stratum by stratum. */
export const STRATIFIED_ENGINES: Readonly<Partial<Record<MetricKind, MetricEngine>>> = {
  Latency: guarded(STRATIFIED_LATENCY),
  ErrorRate: guarded(STRATIFIED_RATE),
  Ratio: guarded(STRATIFIED_RATE),
}

/** The statistics of a metric. */
export function engineOf({ kind, prometheus }: Pick<Metric, 'kind' | 'prometheus'>): MetricEngine {
  const stratified = prometheus?.stratifyBy === undefined ? undefined : STRATIFIED_ENGINES[kind]
  return stratified ?? METRIC_ENGINES[kind]
}
