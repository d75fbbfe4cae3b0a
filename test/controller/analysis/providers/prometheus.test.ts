import { expect } from 'chai'
import { providerWithDefaults } from '../../../../common/analysis/kinds/provider.ts'
import type { ProviderReply, ProviderRequest, WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import { PROMETHEUS } from '../../../../controller/analysis/providers/prometheus.ts'
import { instant, matrix, seriesItem } from '../../../common/analysis/query/answers.ts'
import { windowQuery } from '../../../common/analysis/query/window-queries.ts'

const PROVIDER = providerWithDefaults({ type: 'Prometheus', address: 'http://prometheus', namespaceSelector: {} })
const ARMS = { treatment: { workload: 'exp', pods: ['exp-a'] }, control: { workload: 'cart', pods: ['cart-a'] } }
const FAILURE = { is: 'failed', message: '503' } as const

const queryIn = ({ body }: ProviderRequest): string => new URLSearchParams(body?.text).get('query') ?? ''

/** Asks a server that answers each query by its text. Returns the answer and what was asked. */
async function asked(query: WindowQuery, reply: (promql: string) => ProviderReply) {
  const queries: string[] = []
  const answer = await PROMETHEUS.ask({ ...query, arms: ARMS }, PROVIDER, async (request) => {
    queries.push(queryIn(request))
    return reply(queryIn(request))
  })
  return { answer, queries }
}

const histogram = windowQuery('Latency', { histogram: 'h' })
const errors = windowQuery('ErrorRate', { events: 'e', total: 't' })
const counterOf = (name: string, promql: string, end: string) =>
  matrix(seriesItem(name, promql.includes('exp-a') ? 'exp-a' : 'cart-a', ['0', end]))

describe('a window of Prometheus', () => {
  it('has the histograms of both arms, each by one request', async () => {
    const { answer, queries } = await asked(histogram, (promql) => {
      const pod = promql.includes('exp-a') ? 'exp-a' : 'cart-a'
      const ends = pod === 'exp-a' ? (['0', '9'] as const) : (['0', '5'] as const)
      return matrix(
        seriesItem('h_bucket', pod, ['0', '2'], { le: '0.1' }),
        seriesItem('h_bucket', pod, ends, { le: '+Inf' }),
      )
    })
    expect(answer).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries: [0.1],
        treatment: [{ pod: 'exp-a', total: 9, exceeding: [7] }],
        control: [{ pod: 'cart-a', total: 5, exceeding: [3] }],
      },
    })
    expect(queries).to.deep.equal([
      '{__name__=~"h|h_bucket",namespace="shop",pod=~"exp-a"}',
      '{__name__=~"h|h_bucket",namespace="shop",pod=~"cart-a"}',
    ])
  })

  it('has the events of both arms and all that could be one', async () => {
    const { answer, queries } = await asked(errors, (promql) => {
      const end = (promql.startsWith('t') ? 10 : 1) * (promql.includes('exp-a') ? 3 : 1)
      return counterOf(promql.slice(0, 1), promql, `${end}`)
    })
    expect(answer).to.deep.equal({
      is: 'data',
      data: {
        is: 'events',
        treatment: [{ pod: 'exp-a', events: 3, exposure: 30 }],
        control: [{ pod: 'cart-a', events: 1, exposure: 10 }],
      },
    })
    expect(queries).to.have.length(4)
  })

  it('has the number of a query for each arm', async () => {
    const query = windowQuery('Value', { query: 'q{arm="{{arm}}"}' })
    const { answer, queries } = await asked(query, (promql) =>
      instant('scalar', [1, promql.includes('treatment') ? '2' : '1']),
    )
    expect(answer).to.deep.equal({ is: 'data', data: { is: 'value', treatment: 2, control: 1 } })
    expect(queries).to.deep.equal(['q{arm="treatment"}', 'q{arm="control"}'])
  })

  it('has that of the treatment alone where there is a bound', async () => {
    const query = windowQuery('Threshold', { query: 'q{arm="{{arm}}"}' })
    const { answer, queries } = await asked(query, () => instant('scalar', [1, '2']))
    expect(answer).to.deep.equal({ is: 'data', data: { is: 'treatmentValue', treatment: 2 } })
    expect(queries).to.deep.equal(['q{arm="treatment"}'])
  })

  it('asks for all before anything is answered', async () => {
    const open: (() => void)[] = []
    const answer = PROMETHEUS.ask({ ...errors, arms: ARMS }, PROVIDER, () => {
      const { promise, resolve } = Promise.withResolvers<ProviderReply>()
      open.push(() => resolve(matrix()))
      return promise
    })
    expect(open).to.have.length(4)
    for (const each of open) each()
    expect(await answer).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
  })

  it('is of no use if a pod is scraped twice', async () => {
    const { answer } = await asked(errors, (promql) => {
      const pod = promql.includes('exp-a') ? 'exp-a' : 'cart-a'
      return matrix(...['cart', 'all'].map((job) => seriesItem('t', pod, ['40', '50'], { instance: 'i', job })))
    })
    expect(answer).to.have.property('message').that.contains('a pod is scraped twice: its series differ in job;')
  })

  it('is of no use if any request failed', async () => {
    const failing = (isFailing: (promql: string) => boolean) => (promql: string) =>
      isFailing(promql) ? FAILURE : counterOf(promql.slice(0, 1), promql, '1')
    for (const promql of [/^e.*exp-a/, /^t.*exp-a/, /^e.*cart-a/, /^t.*cart-a/])
      expect(
        (
          await asked(
            errors,
            failing((each) => promql.test(each)),
          )
        ).answer,
      ).to.equal(FAILURE)
    for (const pod of ['exp-a', 'cart-a']) {
      expect(
        (
          await asked(
            histogram,
            failing((each) => each.includes(pod)),
          )
        ).answer,
      ).to.equal(FAILURE)
      const value = windowQuery('Value', { query: 'q{pod=~"{{pods}}"}' })
      expect(
        (await asked(value, (each) => (each.includes(pod) ? FAILURE : instant('scalar', [1, '2'])))).answer,
      ).to.equal(FAILURE)
    }
  })
})
