import type { Metric } from '../../api/analysis/metric.ts'
import type { MetricResult } from '../metrics/metric-engine.ts'

/** The reason of a metric whose verdict is held back because the pods of the two versions get unequal requests. */
export const TRAFFIC_DIFFERS = 'TrafficDiffers'

/** By which factor the requests of a pod may differ between the versions. */
const MOST = 2

/** A matcher that chooses routes, by the names that such labels have. One that only leaves some out chooses none. */
const OF_ROUTE = /^\s*\w*(route|path|uri|url|handler|endpoint|operation|method|action|view|page)\w*\s*=/i

/**
 * Whether a metric compares only requests that its author has chosen, so that a mixture of several sorts is meant, or
 * each sort by itself.
 */
export const choosesRequests = ({ prometheus, newRelic }: Pick<Metric, 'prometheus' | 'newRelic'>): boolean =>
  newRelic?.testPath !== undefined ||
  prometheus?.stratifyBy !== undefined ||
  (prometheus?.matchers ?? []).some((matcher) => OF_ROUTE.test(matcher))

/**
 * Whether a verdict on requests cannot be told from unequal traffic. Where a pod of one version gets far more requests
 * than one of the other, and each pod gets as many probes, the two versions have other mixtures of fast and slow
 * requests, and equal versions look unequal.
 */
export function doesTrafficDiffer({ verdict, perPod }: Pick<MetricResult, 'verdict' | 'perPod'>, of: Metric): boolean {
  if (verdict === 'Wait' || !perPod || choosesRequests(of)) return false
  const { treatment, control } = perPod
  return Math.max(treatment, control) > MOST * Math.min(treatment, control)
}
