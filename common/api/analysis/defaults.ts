import type { AnalysisSpec } from './analysis.ts'
import { FIELDS, KUBERNETES, type Metric, type MetricKind, type MetricRule } from './metric.ts'

/**
 * The defaults of `spec.analysis`, which the CRD fills in and `analysisWithDefaults` gives to resources that are older.
 * 0.025 and 0.05 are the usual bounds of a one-sided test of harm, and of the power of 95 %.
 */
export const ANALYSIS_DEFAULTS = {
  control: 'Source',
  intervalSeconds: 30,
  warmUpSeconds: 60,
  noDataSeconds: 600,
  minSamples: 50,
  alpha: 0.025,
  beta: 0.05,
  onTimeout: 'RollBack',
  onNoData: 'RollBack',
  continueAfterPass: false,
  attempt: 1,
} as const satisfies AnalysisSpec

/** The only metric of an analysis without templates and metrics. It needs no other system. */
export const HEALTH_METRIC: Metric = { name: 'health', kind: 'Health', provider: KUBERNETES }

/** `spec.analysis` with all defaults. */
export interface CompleteAnalysis extends Required<Omit<AnalysisSpec, 'maxSeconds'>> {
  /** absent: as long as the experiment lives */
  readonly maxSeconds?: number
}

/**
 * `spec.analysis` with all defaults filled in. `{}` alone asks about the health of the fork. The CRD cannot fill that
 * in, and the webhook does not: the metric would stay behind when somebody adds a template, under a name that the
 * template may have too.
 */
export function analysisWithDefaults(spec: AnalysisSpec): CompleteAnalysis {
  const { templates = [], metrics = [] } = spec
  const isEmpty = templates.length === 0 && metrics.length === 0
  return { ...ANALYSIS_DEFAULTS, ...spec, templates, metrics: isEmpty ? [HEALTH_METRIC] : metrics }
}

/** The defaults of the fields of a metric that do not depend on its kind. */
const RULE_DEFAULTS = {
  higherIsBetter: false,
  failureLimit: 2,
  successCount: 5,
  minSamples: 50,
  zScoreThreshold: 1.96,
  harmThreshold: 1.5,
} as const satisfies MetricRule

/** Slowdowns and values, in percent. */
const OF_VALUES = { tolerancePercent: 10, maxRegressionPercent: 25 }
/** Rates, in percent: they are small, so that they vary more. */
const OF_RATES = { tolerancePercent: 20, maxRegressionPercent: 100 }

/** The defaults that depend on the kind. */
const DEFAULTS_OF: Readonly<Partial<Record<MetricKind, MetricRule>>> = {
  Latency: OF_VALUES,
  Value: OF_VALUES,
  ErrorRate: { ...OF_RATES, acceptablePercent: 1 },
  Ratio: { ...OF_RATES, acceptablePercent: 0 },
}

/** What New Relic is asked where a metric says nothing else. */
const NEW_RELIC_DEFAULTS = { errors: 'error is true', podAttribute: 'host' } as const

/** A metric with a value in every field that its kind has, but for the bounds of a Threshold. */
export function metricWithDefaults(metric: Metric): Metric {
  const defaults = Object.entries({ ...RULE_DEFAULTS, ...DEFAULTS_OF[metric.kind] }).filter(([field]) =>
    FIELDS[field as keyof MetricRule].includes(metric.kind),
  )
  return { ...withQueryDefaults(metric), dryRun: metric.dryRun ?? false, ...missing(metric, defaults) }
}

const missing = (metric: Metric, defaults: readonly (readonly [string, unknown])[]): MetricRule =>
  Object.fromEntries(defaults.map(([field, value]) => [field, metric[field as keyof MetricRule] ?? value]))

function withQueryDefaults(metric: Metric): Metric {
  const { newRelic, kind } = metric
  if (!newRelic || newRelic.nrql !== undefined) return metric
  const { errors, podAttribute } = NEW_RELIC_DEFAULTS
  return { ...metric, newRelic: { podAttribute, ...(kind === 'ErrorRate' ? { errors } : {}), ...newRelic } }
}
