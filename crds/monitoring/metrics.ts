import type { MetricDescription } from '../../common/program/metrics.ts'
import * as controller from '../../controller/metrics.ts'
import * as webhook from '../../webhook/http/metrics.ts'

/** A metric as a scrape returns it. */
export interface ServedMetric extends MetricDescription {
  /** the full name, as in a query */
  readonly name: string
}

const DESCRIPTIONS: Readonly<Record<string, MetricDescription>> = controller.METRICS

/** Every metric of our own, by the program that serves it. Both programs also serve the default metrics of Node. */
export const SERVED: Readonly<Record<'controller' | 'webhook', readonly ServedMetric[]>> = {
  controller: Object.entries(DESCRIPTIONS).map(([name, of]) => ({ ...of, name: `${controller.METRIC_PREFIX}${name}` })),
  webhook: Object.entries(webhook.METRICS).map(([name, of]) => ({ ...of, name })),
}

/** The beginning of the names of Node's default metrics. */
export const NODE_PREFIXES = { controller: controller.METRIC_PREFIX, webhook: webhook.METRIC_PREFIX } as const
