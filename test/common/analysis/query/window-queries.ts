import type { WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import type { MetricKind, PrometheusQuery } from '../../../../common/api/analysis/metric.ts'

/** A window of 30 s that begins and ends within a second. */
export const WINDOW = { start: 1_700_000_000_123, end: 1_700_000_030_123 }

/** How the series of most systems name a pod and its namespace. */
export const LABELS = { podLabel: 'pod', namespaceLabel: 'namespace' }

/** A query of two pods of a fork and of two of its source. */
export const windowQuery = (
  kind: MetricKind,
  prometheus: PrometheusQuery,
  more: Partial<WindowQuery> = {},
): WindowQuery => ({
  metric: { name: 'asked', kind, provider: 'prometheus', prometheus },
  window: WINDOW,
  namespace: 'shop',
  arms: {
    treatment: { workload: 'cart-exp', pods: ['cart-exp-a', 'cart-exp-b'] },
    control: { workload: 'cart', pods: ['cart-a', 'cart-b'] },
  },
  run: { name: 'cart-exp-0123456789', uid: '5f0c2f4e' },
  ...more,
})
