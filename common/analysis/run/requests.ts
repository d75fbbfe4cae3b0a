import type { Metric, MetricKind } from '../../api/analysis/metric.ts'
import type { Arm, WindowData } from '../window-data.ts'

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** How many requests an arm has in `data`; undefined if `data` count no requests. */
function requestsOf(data: WindowData, arm: Arm): number | undefined {
  switch (data.is) {
    case 'samples':
      return sum(data[arm].map(({ values }) => values.length))
    case 'coarse':
      return sum(data[arm].map(({ total }) => total))
    case 'fine':
      return sum(data[arm].flatMap(({ zero, buckets }) => [zero, ...buckets.map(([, count]) => count)]))
    case 'events':
      return sum(data[arm].map(({ exposure }) => exposure))
    default:
      return undefined
  }
}

/** If an arm has fewer requests than this, the window is polled again when it is longer. */
const FEW_REQUESTS = 5

/** The arms without any request. */
export const silentArms = (data: WindowData): readonly Arm[] =>
  (['treatment', 'control'] as const).filter((arm) => requestsOf(data, arm) === 0)

/** Whether an arm has few requests. */
export const isThin = (data: WindowData): boolean =>
  (['treatment', 'control'] as const).some((arm) => (requestsOf(data, arm) ?? FEW_REQUESTS) < FEW_REQUESTS)

/** The kinds whose samples are requests. The samples of other kinds are windows, or seconds of pods. */
const OF_REQUESTS: readonly MetricKind[] = ['Latency', 'ErrorRate', 'Ratio', 'MannWhitney']

/** Whether a metric counts requests. */
export const countsRequests = ({ kind }: Pick<Metric, 'kind'>): boolean => OF_REQUESTS.includes(kind)

/**
 * How many requests of the fork a metric needs for a Pass: its own `minSamples`, or else that of the analysis; 0 if its
 * kind counts no requests.
 */
export const requestsNeeded = (metric: Pick<Metric, 'kind' | 'minSamples'>, minSamples: number): number =>
  countsRequests(metric) ? (metric.minSamples ?? minSamples) : 0
