import { expect } from 'chai'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import { isSound } from '../../../../common/analysis/metrics/validity.ts'
import type { WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import type { MetricKind, PrometheusQuery } from '../../../../common/api/analysis/metric.ts'
import { PROMETHEUS } from '../../../../controller/analysis/providers/prometheus.ts'
import type { WrittenSeries } from '../../../../sandbox/prometheus/remote-write.ts'
import { WINDOW, windowQuery } from '../../../common/analysis/query/window-queries.ts'
import { type Course, counter, sender, usesPrometheus } from './real-prometheus.ts'

const NEXT = { start: WINDOW.end, end: WINDOW.end + 30_000 }
const ARMS = {
  treatment: { workload: 'exp', pods: ['exp-a', 'exp-b'] },
  control: { workload: 'cart', pods: ['cart-a', 'cart-b'] },
}
const ERRORS: PrometheusQuery = { events: 'requests_total', eventMatchers: ['code=~"5.."'], total: 'requests_total' }
const TOO_FEW = 'fewer than half of the pods of the treatment have data of the whole window'

/** Values at the scrapes before and after the begin of the window, and before and after its end. */
const scrapes = (start: number, end: number): Course => ({ '-10': start, '5': start + 1, '20': end, '35': end + 9 })

describe('a window of a real Prometheus', () => {
  const prometheus = usesPrometheus()
  const provider = providerWithDefaults({ type: 'Prometheus', namespaceSelector: {} })
  let namespaces = 0

  /** Writes series into a namespace of their own, whose control is quiet, and asks for windows there. */
  async function written(series: (namespace: string) => readonly WrittenSeries[]) {
    const namespace = `ns-${namespaces++}`
    const quiet = ARMS.control.pods.map((pod) => counter(namespace, 'requests_total', pod, scrapes(0, 5)))
    await prometheus().write([...quiet, ...series(namespace)])
    return async (kind: MetricKind, query: PrometheusQuery, more: Partial<WindowQuery> = {}) => {
      const { send, close } = sender(prometheus().address)
      try {
        return await PROMETHEUS.ask(windowQuery(kind, query, { namespace, arms: ARMS, ...more }), provider, send)
      } finally {
        await close()
      }
    }
  }

  /** What is known of the events of the treatment, or why nothing is. */
  async function eventsOf(
    series: (namespace: string) => readonly WrittenSeries[],
    window = WINDOW,
    query: PrometheusQuery = ERRORS,
  ) {
    const answer = await (await written(series))('ErrorRate', query, { window })
    if (answer.is === 'data') expect(isSound(answer.data)).to.equal(true)
    return answer.is === 'data' && answer.data.is === 'events' ? answer.data.treatment : answer
  }
  const requests = (namespace: string, pod: string, course: Course, code = '200', more = {}) =>
    counter(namespace, 'requests_total', pod, course, { code, ...more })

  it('counts from edge to edge, and an edge has the value of the last scrape before it', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', scrapes(100, 140)),
        requests(ns, 'exp-a', scrapes(3, 7), '503'),
        requests(ns, 'exp-b', scrapes(0, 2)),
      ]),
    ).to.deep.equal([
      { pod: 'exp-a', events: 4, exposure: 44 },
      { pod: 'exp-b', events: 0, exposure: 2 },
    ]))

  it('has both edges also if its length is no whole number of seconds', async () => {
    const odd = { start: WINDOW.start, end: WINDOW.start + 16_005 }
    const series = (ns: string) => ARMS.treatment.pods.map((pod) => requests(ns, pod, { '-10': 1, '16': 3, '17': 9 }))
    expect(await eventsOf(series, odd)).to.deep.equal([
      { pod: 'exp-a', events: 0, exposure: 2 },
      { pod: 'exp-b', events: 0, exposure: 2 },
    ])
  })

  it('counts what a pod that was reset has counted since', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', { '-10': 100, '5': 110, '20': 7 }),
        requests(ns, 'exp-a', { '-10': 3, '5': 3, '20': 2 }, '503'),
        requests(ns, 'exp-b', scrapes(0, 2)),
      ]),
    ).to.deep.equal([
      { pod: 'exp-a', events: 2, exposure: 9 },
      { pod: 'exp-b', events: 0, exposure: 2 },
    ]))

  it('leaves out a pod that was reset in part', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', { '-10': 100, '5': 110, '20': 120 }),
        requests(ns, 'exp-a', { '-10': 3, '5': 3, '20': 2 }, '503'),
        requests(ns, 'exp-b', scrapes(0, 2)),
      ]),
    ).to.deep.equal([{ pod: 'exp-b', events: 0, exposure: 2 }]))

  it('counts a series that was born in it among others of its process', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', scrapes(100, 140)),
        requests(ns, 'exp-a', { '5': 1, '20': 4, '35': 6 }, '503'),
        requests(ns, 'exp-b', scrapes(0, 2)),
      ]),
    ).to.deep.equal([
      { pod: 'exp-a', events: 4, exposure: 44 },
      { pod: 'exp-b', events: 0, exposure: 2 },
    ]))

  it('leaves out a pod that was born in it, and has it in the next window', async () => {
    const series = (ns: string) => [
      requests(ns, 'exp-a', { ...scrapes(0, 2), '50': 20 }),
      requests(ns, 'exp-b', { '5': 0, '20': 40, '50': 45 }),
    ]
    expect(await eventsOf(series)).to.deep.equal([{ pod: 'exp-a', events: 0, exposure: 2 }])
    const control = (ns: string) => ARMS.control.pods.map((pod) => requests(ns, pod, scrapes(0, 1)))
    expect(await eventsOf((ns) => [...series(ns), ...control(ns)], NEXT)).to.deep.equal([
      { pod: 'exp-a', events: 0, exposure: 18 },
      { pod: 'exp-b', events: 0, exposure: 5 },
    ])
  })

  it('leaves out a pod that died in it', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', { '-10': 0, '5': 3, '20': 'stale' }),
        requests(ns, 'exp-b', scrapes(0, 2)),
      ]),
    ).to.deep.equal([{ pod: 'exp-b', events: 0, exposure: 2 }]))

  it('leaves out a target of a pod that was not scraped at the start', async () =>
    expect(
      await eventsOf((ns) => [
        requests(ns, 'exp-a', scrapes(0, 2), '200', { instance: 'one' }),
        requests(ns, 'exp-a', { '5': 1_000, '20': 1_001 }, '200', { instance: 'two' }),
        requests(ns, 'exp-a', { '5': 9, '20': 9 }, '500', { instance: 'two' }),
      ]),
    ).to.deep.equal([{ pod: 'exp-a', events: 0, exposure: 2 }]))

  it('is of no use if fewer than half of the pods are known', async () =>
    expect(await eventsOf((ns) => [requests(ns, 'exp-a', { '5': 1, '20': 2 })])).to.deep.equal({
      is: 'failed',
      message: TOO_FEW,
      lacksStart: true,
    }))

  it('misses an edge 5 minutes after the last scrape', async () => {
    const lastAt = (seconds: number) => (ns: string) => [requests(ns, 'exp-a', { '-290': 1, [seconds]: 2 })]
    expect(await eventsOf(lastAt(30 - 299))).to.deep.equal([{ pod: 'exp-a', events: 0, exposure: 0 }])
    expect(await eventsOf(lastAt(30 - 301))).to.deep.equal({ is: 'failed', message: TOO_FEW })
  })

  it('is of no use with NaN', async () =>
    expect(await eventsOf((ns) => [requests(ns, 'exp-a', { '-10': 1, '20': Number.NaN })])).to.deep.equal({
      is: 'failed',
      message: 'the answer has a count that is not a whole number',
    }))

  it('knows nothing of an arm without series', async () =>
    expect(await eventsOf(() => [])).to.deep.equal({ is: 'silent', arms: ['treatment'] }))

  it('has the pods of the arm in its namespace, and no others', async () => {
    const dotted = { ...ARMS, treatment: { workload: 'v1.2', pods: ['v1.2-a'] } }
    const ask = await written((ns) => [
      requests(ns, 'v1.2-a', scrapes(0, 2)),
      requests(ns, 'v1x2-a', scrapes(0, 9)),
      requests(ns, 'v1.2-ab', scrapes(0, 9)),
      requests(`${ns}-other`, 'v1.2-a', scrapes(0, 9)),
    ])
    expect(await ask('ErrorRate', ERRORS, { arms: dotted }))
      .to.have.nested.property('data.treatment')
      .deep.equal([{ pod: 'v1.2-a', events: 0, exposure: 2 }])
  })

  const texts: Readonly<Record<string, readonly [matched: string, stored: string]>> = {
    quotes: ['"} or up{a="', '"} or up{a="'],
    backslashes: ['\\"\\n\\\\', '\\"\\n\\\\'],
    'line ends': ['a\nb\r\tc', 'a\nb\r\tc'],
    'half a surrogate pair': ['a\ud800b', 'a\ufffdb'], // UTF-8 has no half ones
    'other letters': ['é😀\u2028', 'é😀\u2028'],
  }
  for (const [what, [matched, stored]] of Object.entries(texts))
    it(`takes ${what} in a matcher as what they are`, async () => {
      const matcher = `route=${JSON.stringify(matched).replace('\\ud800', '\ud800')}`
      const series = (ns: string) => [
        requests(ns, 'exp-a', scrapes(0, 2), '200', { route: stored }),
        requests(ns, 'exp-a', scrapes(0, 40), '200', { route: 'another' }),
        requests(ns, 'cart-a', scrapes(0, 40), '200', { route: stored }),
      ]
      expect(await eventsOf(series, WINDOW, { ...ERRORS, matchers: [matcher] })).to.deep.equal([
        { pod: 'exp-a', events: 0, exposure: 2 },
      ])
    })
})
