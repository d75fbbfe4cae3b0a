import { expect } from 'chai'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import { strataProblem } from '../../../../common/analysis/metrics/strata.ts'
import { isSound } from '../../../../common/analysis/metrics/validity.ts'
import type { MetricKind, PrometheusQuery } from '../../../../common/api/analysis/metric.ts'
import { PROMETHEUS } from '../../../../controller/analysis/providers/prometheus.ts'
import type { WrittenSeries } from '../../../../sandbox/prometheus/remote-write.ts'
import { windowQuery } from '../../../common/analysis/query/window-queries.ts'
import { type Course, counter, sender, usesPrometheus } from './real-prometheus.ts'

const ARMS = { treatment: { workload: 'exp', pods: ['exp-a'] }, control: { workload: 'cart', pods: ['cart-a'] } }
const HISTOGRAM: PrometheusQuery = { histogram: 'request_seconds', stratifyBy: 'route' }
const ERRORS: PrometheusQuery = {
  ...{ events: 'requests', eventMatchers: ['code="500"'], total: 'requests' },
  stratifyBy: 'route',
}

const course = (start: number, end: number): Course => ({ '-10': start, '5': start, '20': end })

describe('the strata of a real Prometheus', () => {
  const prometheus = usesPrometheus()
  const provider = providerWithDefaults({ type: 'Prometheus', namespaceSelector: {} })
  let namespaces = 0

  /** Writes series into a namespace of their own, and asks for a window there. */
  async function asked(
    kind: MetricKind,
    query: PrometheusQuery,
    series: (namespace: string, pod: string) => readonly WrittenSeries[],
  ) {
    const namespace = `strata-${namespaces++}`
    await prometheus().write(['exp-a', 'cart-a'].flatMap((pod) => series(namespace, pod)))
    const { send, close } = sender(prometheus().address)
    try {
      const answer = await PROMETHEUS.ask(windowQuery(kind, query, { namespace, arms: ARMS }), provider, send)
      if (answer.is === 'data') expect(isSound(answer.data)).to.equal(true)
      return answer
    } finally {
      await close()
    }
  }

  const routes = (count: number) => (ns: string, pod: string) =>
    Array.from({ length: count }, (_, route) => [
      counter(ns, 'request_seconds_bucket', pod, course(1, 4 + route), { le: '0.1', route: `/${route}` }),
      counter(ns, 'request_seconds_bucket', pod, course(2, 9 + route), { le: '+Inf', route: `/${route}` }),
    ]).flat()

  it('N44: are the values of a label, of which there are at most eight', async () => {
    const counted = (pod: string) => [
      { pod, stratum: '/0', total: 7, exceeding: [4] },
      { pod, stratum: '/1', total: 8, exceeding: [4] },
    ]
    expect(await asked('Latency', HISTOGRAM, routes(2))).to.deep.equal({
      is: 'data',
      data: { is: 'coarse', boundaries: [0.1], treatment: counted('exp-a'), control: counted('cart-a') },
    })
    const problem = async (count: number) => {
      const answer = await asked('Latency', HISTOGRAM, routes(count))
      return answer.is === 'data' ? strataProblem({ prometheus: HISTOGRAM }, [], answer.data) : answer
    }
    expect(await problem(8)).to.equal(undefined)
    expect(await problem(9)).to.match(/^the label route has 9 values, and at most 8 /)
  })

  it('N44: are of events too, and of series without the label', async () => {
    const series = (ns: string, pod: string) => [
      counter(ns, 'requests', pod, course(1, 9), { code: '200', route: '/0' }),
      counter(ns, 'requests', pod, course(1, 3), { code: '500', route: '/0' }),
      counter(ns, 'requests', pod, course(1, 5), { code: '200' }),
    ]
    const answer = await asked('ErrorRate', ERRORS, series)
    if (answer.is !== 'data' || answer.data.is !== 'events') throw new Error(JSON.stringify(answer))
    for (const [arm, pod] of [
      ['treatment', 'exp-a'],
      ['control', 'cart-a'],
    ] as const)
      expect(answer.data[arm]).to.have.deep.members([
        { pod, stratum: '/0', events: 2, exposure: 10 },
        { pod, stratum: '', events: 0, exposure: 4 },
      ])
  })
})
