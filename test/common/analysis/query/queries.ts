import type { WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'

/** 30 s of a fork with one pod and of its source with two. */
export const aWindowQuery = (metric: Partial<Metric>, of: Partial<WindowQuery> = {}): WindowQuery => ({
  metric: { name: 'm', kind: 'Latency', provider: 'p', ...metric },
  window: { start: Date.UTC(2026, 10, 21, 14, 5), end: Date.UTC(2026, 10, 21, 14, 5, 30) },
  namespace: 'shop',
  arms: {
    treatment: { workload: 'cart-fork', pods: ['cart-fork-0'] },
    control: { workload: 'cart', pods: ['cart-0', 'cart-1'] },
  },
  run: { name: 'cart-fork-0123456789', uid: '6c1f' },
  ...of,
})
