import { LATENCY } from './latency.ts'
import { DECISION, MANN_WHITNEY } from './one-look.ts'
import { HEALTH, RATE } from './rate.ts'
import type { MetricEngine } from './rule.ts'
import { THRESHOLD } from './threshold.ts'
import { VALUE } from './value.ts'

/** The statistics of each kind of metrics. */
export const METRIC_ENGINES = {
  Latency: LATENCY,
  ErrorRate: RATE,
  Ratio: RATE,
  Value: VALUE,
  Health: HEALTH,
  Threshold: THRESHOLD,
  MannWhitney: MANN_WHITNEY,
  Decision: DECISION,
} as const satisfies Readonly<Record<string, MetricEngine>>
