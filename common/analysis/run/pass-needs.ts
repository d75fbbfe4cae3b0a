import type { CompleteAnalysis } from '../../api/analysis/defaults.ts'
import type { Metric } from '../../api/analysis/metric.ts'
import { odds } from '../../text/odds.ts'
import type { RunMetric } from '../kinds/run.ts'
import type { DecisionBounds } from '../metrics/metric-engine.ts'
import { engineOf } from '../metrics/registry.ts'
import { healthMemory } from './health.ts'
import { memoryOf } from './memory.ts'
import { requestsNeeded } from './requests.ts'

/** The least time from the first window to a Pass of a metric. */
export interface LeastTime {
  readonly name: string
  readonly seconds: number
  /** whether it counts seconds, and not windows */
  readonly isOfSeconds: boolean
  /** `takes 300s without a restart` */
  readonly takes: string
}

/** The least time that a metric takes; undefined if it depends on the requests, or on a plugin. */
export function leastTime(
  metric: Metric,
  { beta, intervalSeconds }: Pick<CompleteAnalysis, 'beta' | 'intervalSeconds'>,
): LeastTime | undefined {
  const least = engineOf(metric).leastForPass?.(metric, { beta })
  if (!least) return undefined
  const { needs, unit, of } = least
  const [{ name }, takes] = [metric, `takes ${needs}${of}`]
  return unit === 'seconds'
    ? { name, seconds: needs, isOfSeconds: true, takes }
    : { name, seconds: needs * intervalSeconds, isOfSeconds: false, takes: `${takes}, of ${intervalSeconds}s each` }
}

/**
 * What a metric had in the end of what a Pass needs: `it had 60 of 300s without a restart`. It follows from the state
 * of the metric, so it is the same at every look.
 */
export function shortfall(of: Metric, metric: RunMetric, question: DecisionBounds): string {
  const remembered = memoryOf(metric, of)
  const numbers = of.kind === 'Health' ? healthMemory(remembered).engine : remembered
  const { enough, safe } = engineOf(of).judge(numbers, of, question)
  const requests = {
    had: metric.samples?.treatment ?? 0,
    needs: requestsNeeded(of, question.minSamples),
    of: ' requests',
  }
  const lacks = [
    ...[enough ?? requests]
      .filter(({ had, needs }) => had < needs)
      .map(({ had, needs, of }) => `${Math.floor(had)} of ${needs}${of}`),
    ...safe
      .filter(({ logE, needs }) => logE < needs)
      .map(({ part, logE, needs }) => `evidence ${odds(logE)} of ${odds(needs)} for a safe ${part}`),
  ]
  return lacks.length === 0 ? 'harm was not ruled out' : `it had ${lacks.join(', ')}`
}
