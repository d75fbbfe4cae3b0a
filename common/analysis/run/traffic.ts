import type { Metric } from '../../api/analysis/metric.ts'
import { MATCHER_PATTERN } from '../../api/analysis/patterns.ts'
import type { MetricResult } from '../metrics/metric-engine.ts'

/** The reason of a metric whose verdict is held back because the pods of the two versions get unequal requests. */
export const TRAFFIC_DIFFERS = 'TrafficDiffers'

/** By which factor the requests of a pod may differ between the versions. */
const MOST = 2

const MATCHER = new RegExp(MATCHER_PATTERN)
/** The words in the names of labels that name routes. */
const OF_ROUTE = /(^|_)(route|path|uri|url|handler|endpoint|operation|page)(_|$)/i
/** What may stand in a pattern for any text. */
const ANY = /\\.|\[[^\]]*\]|\{[^}]*\}|\(\?\w*|[.*+?]/g

/** Whether one of the alternatives of a pattern says nothing about the text, such as `.+` or `/.*`. */
const matchesAll = (pattern: string): boolean =>
  pattern.split('|').some((part) => {
    const said = part.replaceAll(ANY, '')
    return said.length < part.length && !/\w/.test(said)
  })

/** Whether a matcher chooses routes. One that only leaves some out, or that matches everything, chooses none. */
function choosesRoutes(matcher: string): boolean {
  const [, label = '', operator, value = ''] = MATCHER.exec(matcher) ?? []
  if (!OF_ROUTE.test(label) || value === '') return false
  return operator === '=' || (operator === '=~' && !matchesAll(JSON.parse(`"${value}"`)))
}

/**
 * Whether a metric compares only requests that its author has chosen, so that a mixture of several sorts is meant, or
 * each sort by itself.
 */
export const choosesRequests = ({ prometheus, newRelic }: Pick<Metric, 'prometheus' | 'newRelic'>): boolean =>
  newRelic?.testPath !== undefined ||
  prometheus?.stratifyBy !== undefined ||
  (prometheus?.matchers ?? []).some(choosesRoutes)

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
