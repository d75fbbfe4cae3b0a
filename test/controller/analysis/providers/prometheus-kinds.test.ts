import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import { isSound } from '../../../../common/analysis/metrics/validity.ts'
import type { WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import type { MetricKind, PrometheusQuery } from '../../../../common/api/analysis/metric.ts'
import { PROMETHEUS } from '../../../../controller/analysis/providers/prometheus.ts'
import type { WrittenHistogram, WrittenSeries } from '../../../../sandbox/prometheus/remote-write.ts'
import { windowQuery } from '../../../common/analysis/query/window-queries.ts'
import { type Course, counter, secondsIn, sender, usesPrometheus } from './real-prometheus.ts'

const ARMS = { treatment: { workload: 'exp', pods: ['exp-a'] }, control: { workload: 'cart', pods: ['cart-a'] } }
const HISTOGRAM: PrometheusQuery = { histogram: 'request_seconds' }

const course = (start: number, end: number): Course => ({ '-10': start, '5': start, '20': end })
const native = (
  namespace: string,
  pod: string,
  histograms: readonly Omit<WrittenHistogram, 'at'>[],
): WrittenSeries => ({
  labels: { __name__: 'request_seconds', namespace, pod },
  histograms: histograms.map((each, index) => ({ ...each, at: secondsIn(index * 30 - 10) })),
})
const buckets = (namespace: string, pod: string, ends: Readonly<Record<string, readonly [number, number]>>) =>
  Object.entries(ends).map(([le, [start, end]]) =>
    counter(namespace, 'request_seconds_bucket', pod, course(start, end), { le }),
  )

describe('the metrics of a real Prometheus', () => {
  const prometheus = usesPrometheus()
  const provider = providerWithDefaults({ type: 'Prometheus', namespaceSelector: {} })
  let namespaces = 0

  async function ask(address: string, query: WindowQuery) {
    const { send, close } = sender(address)
    try {
      const answer = await PROMETHEUS.ask(query, provider, send)
      if (answer.is === 'data') expect(isSound(answer.data)).to.equal(true)
      return answer
    } finally {
      await close()
    }
  }

  /** Writes series into a namespace of their own, and asks for a window there. */
  async function asked(
    kind: MetricKind,
    query: PrometheusQuery,
    series: (namespace: string) => readonly WrittenSeries[],
    more: Partial<WindowQuery> = {},
  ) {
    const namespace = `kinds-${namespaces++}`
    await prometheus().write(series(namespace))
    return ask(prometheus().address, windowQuery(kind, query, { namespace, arms: ARMS, ...more }))
  }

  const coarse = (ns: string) => [
    ...buckets(ns, 'exp-a', { '0.1': [4, 10], '1': [6, 20], '+Inf': [6, 21] }),
    ...buckets(ns, 'cart-a', { '0.1': [1, 40], '0.5': [1, 41], '1': [2, 42], '+Inf': [2, 42] }),
  ]

  it('are histograms with buckets', async () =>
    expect(await asked('Latency', HISTOGRAM, coarse)).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries: [0.1, 1],
        treatment: [{ pod: 'exp-a', total: 15, exceeding: [9, 1] }],
        control: [{ pod: 'cart-a', total: 40, exceeding: [1, 0] }],
      },
    }))

  it('are native histograms, also beside buckets, in the widest of all buckets', async () => {
    const series = (ns: string) => [
      ...coarse(ns),
      native(ns, 'exp-a', [
        { schema: 3, zero: { threshold: 0.001, count: 2 }, buckets: { [-8]: 1, 5: 7 } },
        { schema: 3, zero: { threshold: 0.001, count: 3 }, buckets: { [-8]: 1, 5: 9, 6: 4 } },
      ]),
      native(ns, 'cart-a', [
        { schema: 4, buckets: { 9: 10, 10: 10 } },
        { schema: 4, buckets: { 9: 11, 10: 12, 11: 3, [-16]: 5 } },
      ]),
    ]
    expect(await asked('Latency', HISTOGRAM, series)).to.deep.equal({
      is: 'data',
      data: {
        is: 'fine',
        ratio: 2 ** (1 / 8),
        treatment: [
          {
            pod: 'exp-a',
            zero: 1,
            buckets: [
              [5, 2],
              [6, 4],
            ],
          },
        ],
        control: [
          {
            pod: 'cart-a',
            zero: 0,
            buckets: [
              [-8, 5],
              [5, 3],
              [6, 3],
            ],
          },
        ],
      },
    })
  })

  it('are native histograms of every width', async () => {
    for (const schema of [-4, 0, 8]) {
      const one = { schema, buckets: { [-3]: 1, 1: 1, 4: 2 } }
      const series = (ns: string) => [
        native(ns, 'exp-a', [{ ...one, buckets: {} }, one]),
        native(ns, 'cart-a', [one, one]),
      ]
      expect(await asked('Latency', HISTOGRAM, series)).to.deep.equal({
        is: 'data',
        data: {
          is: 'fine',
          ratio: 2 ** (2 ** -schema),
          treatment: [
            {
              pod: 'exp-a',
              zero: 0,
              buckets: [
                [-3, 1],
                [1, 1],
                [4, 2],
              ],
            },
          ],
          control: [{ pod: 'cart-a', zero: 0, buckets: [] }],
        },
      })
    }
  })

  it('go on with the buckets with which they began', async () =>
    expect(await asked('Latency', HISTOGRAM, coarse, { boundaries: [1] }))
      .to.have.nested.property('data.boundaries')
      .deep.equal([1]))

  const QUERY = { query: 'sum(increase_of{pod=~"{{pods}}",namespace="{{namespace}}"} offset {{windowSeconds}}s)' }
  const gauge = (ns: string, pod: string, value: number) => counter(ns, 'increase_of', pod, { '-1': value, '29': 99 })

  it('are the numbers of a query', async () => {
    const series = (ns: string) => [gauge(ns, 'exp-a', 2.5), gauge(ns, 'cart-a', -1)]
    expect(await asked('Value', QUERY, series)).to.deep.equal({
      is: 'data',
      data: { is: 'value', treatment: 2.5, control: -1 },
    })
    expect(await asked('Threshold', QUERY, series)).to.deep.equal({
      is: 'data',
      data: { is: 'treatmentValue', treatment: 2.5 },
    })
  })

  it('are unknown where a query gives nothing', async () =>
    expect(await asked('Value', QUERY, (ns) => [gauge(ns, 'exp-a', 2.5)])).to.deep.equal({
      is: 'silent',
      arms: ['control'],
    }))

  it('are of no use where a query gives NaN or several numbers', async () => {
    const series = (ns: string) => [gauge(ns, 'exp-a', 0), gauge(ns, 'exp-b', 0), gauge(ns, 'cart-a', 1)]
    const message = async (query: string) => {
      const answer = await asked('Threshold', { query }, series)
      return answer.is === 'failed' ? answer.message : answer
    }
    const mine = 'increase_of{namespace="{{namespace}}"} offset {{windowSeconds}}s'
    expect(await message(`sum(${mine} == 0) / sum(${mine} == 0)`)).to.equal('the query gave NaN or no finite number')
    expect(await message(mine)).to.equal('the query did not give one number')
    expect(await message('"text"')).to.equal('the query did not give one number')
  })

  it('N13: are of no use if the answer is partial, but with remarks on the query', async () => {
    const namespace = `kinds-${namespaces++}`
    await prometheus().write(coarse(namespace))
    const query = windowQuery('Latency', HISTOGRAM, { namespace, arms: ARMS })
    const warnings: string[] = []
    const thanos = await startWarning(prometheus().address, warnings)
    try {
      const data = await ask(prometheus().address, query)
      expect(data).to.have.property('is', 'data')
      warnings.push('PromQL info: metric might not be a counter', 'PromQL warning: a mix of histograms and floats')
      expect(await ask(thanos.address, query)).to.deep.equal(data)
      warnings.push('no store of zone b answered')
      expect(await ask(thanos.address, query)).to.deep.equal({
        is: 'failed',
        message: 'the answer is partial: no store of zone b answered',
      })
    } finally {
      await thanos.stop()
    }
  })
})

/** A server that answers as Prometheus does, with these warnings. */
async function startWarning(behind: string, warnings: readonly string[]) {
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming)
    const headers = { 'content-type': incoming.headers['content-type'] ?? '' }
    const answer = await fetch(`${behind}${incoming.url}`, { method: 'POST', headers, body })
    const json = (await answer.json()) as object
    outgoing.end(JSON.stringify({ ...json, warnings }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}`, stop: async () => void (await once(server.close(), 'close')) }
}
