import { expect } from 'chai'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import { NEW_RELIC } from '../../../../controller/analysis/providers/new-relic.ts'
import { aWindowQuery } from '../../../common/analysis/query/queries.ts'
import { type Played, playing, rowsOf, type Transaction } from './played-new-relic.ts'
import { answering, aProvider, json } from './sending.ts'

const PROVIDER = aProvider({ type: 'NewRelic', newRelic: { accountId: 807_783 } })
const URI = `/it's "a" \\ path`
const { start, end } = aWindowQuery({}).window

const transaction = (host: string, of: Partial<Transaction> = {}): Transaction => ({
  ...{ timestamp: start, duration: 0.1, host, appName: "Cart's", uri: URI, error: false },
  ...of,
})
const TRANSACTIONS: readonly Transaction[] = [
  ...[0.05, 0.1, 0.3].map((duration) => transaction('cart-fork-0', { duration, error: duration > 0.2 })),
  ...[0.05, 0.1, 0.2].map((duration) => transaction('cart-0', { duration, timestamp: end - 1 })),
  transaction('cart-1', { error: true, duration: 9 }),
  // none of these counts
  transaction('cart-2'),
  transaction('cart-0', { timestamp: start - 1 }),
  transaction('cart-0', { timestamp: end }),
  transaction('cart-0', { appName: 'Cart' }),
  transaction('cart-0', { uri: '/other' }),
]
const fromTransactions = (nrql: string): Played => ({ rows: rowsOf(TRANSACTIONS, nrql) })

const NAMES = { appName: "Cart's", testPath: URI }
const metric = (kind: Metric['kind'], newRelic: Metric['newRelic'] = NAMES): Partial<Metric> => ({ kind, newRelic })
const RATE = metric('ErrorRate', { ...NAMES, errors: 'error is true' })

/** What is answered, and how often New Relic was asked for it. */
async function asked(
  of: Partial<Metric>,
  answer: (nrql: string) => Played = fromTransactions,
  window: Parameters<typeof aWindowQuery>[1] = {},
): Promise<readonly [answer: WindowAnswer, times: number]> {
  const answers: (readonly [WindowAnswer, number])[] = []
  await playing(answer, async ({ send, asked: queries }) => {
    answers.push([await NEW_RELIC.ask(aWindowQuery(of, window), PROVIDER, send), queries.length])
  })
  return answers[0] ?? [{ is: 'failed', message: 'not asked' }, 0]
}

describe('New Relic', () => {
  it('counts latencies above boundaries around the median of the first window', async () => {
    const [answer, times] = await asked(metric('Latency'))
    const boundaries = [0.03536, 0.05, 0.07071, 0.1, 0.1414, 0.2, 0.2828, 0.4, 0.5657, 0.8, 1.131, 1.6]
    expect(answer).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries,
        treatment: [{ pod: 'cart-fork-0', exceeding: [3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0], total: 3 }],
        control: [
          { pod: 'cart-0', exceeding: [3, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0], total: 3 },
          { pod: 'cart-1', exceeding: Array(12).fill(1), total: 1 },
        ],
      },
    })
    expect(times).to.equal(3)
  })

  it('keeps the boundaries of earlier windows', async () => {
    const [answer, times] = await asked(metric('Latency'), fromTransactions, { boundaries: [0.25] })
    expect(answer).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries: [0.25],
        treatment: [{ pod: 'cart-fork-0', exceeding: [1], total: 3 }],
        control: [
          { pod: 'cart-0', exceeding: [0], total: 3 },
          { pod: 'cart-1', exceeding: [1], total: 1 },
        ],
      },
    })
    expect(times).to.equal(2)
  })

  it('counts events among all transactions', async () => {
    for (const kind of ['ErrorRate', 'Ratio'] as const)
      expect(await asked({ ...RATE, kind })).to.deep.equal([
        {
          is: 'data',
          data: {
            is: 'events',
            treatment: [{ pod: 'cart-fork-0', events: 1, exposure: 3 }],
            control: [
              { pod: 'cart-0', events: 0, exposure: 3 },
              { pod: 'cart-1', events: 1, exposure: 1 },
            ],
          },
        },
        2,
      ])
  })

  it('gives single durations for MannWhitney', async () =>
    expect(await asked(metric('MannWhitney'))).to.deep.equal([
      {
        is: 'data',
        data: {
          is: 'samples',
          treatment: [{ pod: 'cart-fork-0', values: [0.05, 0.1, 0.3] }],
          control: [
            { pod: 'cart-0', values: [0.05, 0.1, 0.2] },
            { pod: 'cart-1', values: [9] },
          ],
        },
      },
      2,
    ]))

  it('gives durations of the first part of a window, the same of both arms, where one has too many', async () => {
    const every = (host: string, count: number, ms: number) =>
      Array.from({ length: count }, (_, at) => transaction(host, { timestamp: start + at * ms, duration: at }))
    const busy = [...every('cart-0', 9_000, (end - start) / 9_000), ...every('cart-fork-0', 60, (end - start) / 60)]
    const [answer, times] = await asked(metric('MannWhitney'), (nrql) => ({ rows: rowsOf(busy, nrql).slice(0, 5_000) }))
    const first = (count: number) => Array.from({ length: count }, (_, at) => at)
    expect(answer).to.deep.equal({
      is: 'data',
      data: {
        is: 'samples',
        treatment: [{ pod: 'cart-fork-0', values: first(15) }],
        control: [{ pod: 'cart-0', values: first(2_250) }],
      },
    })
    expect(times).to.equal(4)
  })

  it('gives the number of a query for each arm', async () => {
    const nrql = "SELECT average(x) FROM E WHERE host RLIKE r'{{pods}}'"
    const compared = (text: string): Played => ({ rows: [{ 'average.x': text.includes('fork') ? 2 : 3 }] })
    const numbers = (text: string): Played => ({ rows: [{ 'average.x': text.includes('fork') ? 2 : null }] })
    expect(await asked(metric('Value', { nrql }), compared)).to.deep.equal([
      { is: 'data', data: { is: 'value', treatment: 2, control: 3 } },
      2,
    ])
    expect(await asked(metric('Threshold', { nrql }), numbers)).to.deep.equal([
      { is: 'data', data: { is: 'treatmentValue', treatment: 2 } },
      1,
    ])
    expect(await asked(metric('Value', { nrql }), numbers)).to.deep.equal([{ is: 'silent', arms: ['control'] }, 2])
    expect((await asked(metric('Threshold', { nrql }), () => ({ rows: [] })))[0]).to.deep.equal({
      is: 'silent',
      arms: ['treatment'],
    })
  })

  it('knows nothing of an arm whose pods had no transaction', async () => {
    const silent = async (of: Partial<Metric>, left: readonly Transaction[]) =>
      (await asked(of, (nrql) => ({ rows: rowsOf(left, nrql) })))[0]
    const of = (word: string) => TRANSACTIONS.filter(({ host }) => host.startsWith(word))
    for (const each of [metric('Latency'), RATE, metric('MannWhitney')]) {
      expect(await silent(each, [])).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
      expect(await silent(each, of('cart-fork'))).to.deep.equal({ is: 'silent', arms: ['control'] })
      expect(await silent(each, TRANSACTIONS.slice(3))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    }
  })

  it('fails with errors in a 200, with 429, and with too many rows', async () => {
    const syntax = { message: 'NRQL Syntax Error: Error at line 1 position 8', path: ['actor', 'account', 'nrql'] }
    const body = { data: { actor: { account: { nrql: null } } }, errors: [syntax] }
    const full = { rows: Array(5_000).fill({ duration: 1, host: 'cart-fork-0' }) }
    const nrql = 'SELECT 1'
    const [errors, tooMany] = ['New Relic answered with errors', 'results: has 5000 rows, so that some may be missing']
    for (const each of [metric('Latency'), RATE, metric('MannWhitney'), metric('Value', { nrql })]) {
      expect(await asked(each, () => ({ body }))).to.deep.equal([{ is: 'failed', message: errors }, 1])
      expect(await asked(each, () => ({ status: 429, retryAfter: '30' }))).to.deep.equal([
        { is: 'failed', message: '429', retryAfterMs: 30_000 },
        1,
      ])
    }
    expect(await asked(metric('MannWhitney'), () => full)).to.deep.equal([{ is: 'failed', message: tooMany }, 5])
  })

  it('fails where only the counts fail', async () =>
    expect(
      await asked(metric('Latency'), (nrql) => (nrql.includes('FACET') ? { status: 503 } : fromTransactions(nrql))),
    ).to.deep.equal([{ is: 'failed', message: '503' }, 2]))

  it('is asked in parts about many pods, each of which is in one part', async () => {
    const pods = Array.from({ length: 64 }, (_, at) => `${'p'.repeat(60)}${at}`)
    const { arms } = aWindowQuery({})
    const many = { boundaries: [0.25], arms: { ...arms, treatment: { workload: 'cart-fork', pods } } }
    const all = [...TRANSACTIONS, ...pods.map((host) => transaction(host, { duration: 0.5 }))]
    const [answer, times] = await asked(metric('Latency'), (nrql) => ({ rows: rowsOf(all, nrql) }), many)
    expect(answer).to.have.nested.property('data.treatment').with.length(64)
    expect(times).to.equal(3)
    const again = { facet: pods[0], count: 1, b0: 1 }
    expect(await asked(metric('Latency'), () => ({ rows: [again] }), many)).to.deep.equal([
      { is: 'failed', message: 'results: must have whole counts of each pod, once' },
      2,
    ])
  })

  it('takes the median of the fork where the source has none', async () => {
    const fork = TRANSACTIONS.slice(0, 3)
    const [answer, times] = await asked(metric('Latency'), (nrql) => ({ rows: rowsOf(fork, nrql) }))
    expect([answer, times]).to.deep.equal([{ is: 'silent', arms: ['control'] }, 4])
  })

  it('is not asked what it cannot be asked', async () => {
    const { send, sent } = answering(json({}))
    const refused = async (of: Partial<Metric>, provider = PROVIDER) => {
      const answer = await NEW_RELIC.ask(aWindowQuery(of), provider, send)
      return answer.is === 'failed' ? answer.message : answer.is
    }
    expect(await refused({})).to.equal('the metric has no newRelic query')
    expect(await refused(RATE, aProvider({ type: 'NewRelic' }))).to.equal('the provider has no account')
    expect(await refused(metric('Health'))).to.equal('a metric of kind Health cannot ask New Relic')
    expect(await refused(metric('Value', { nrql: 'SELECT 1 SINCE 5' }))).to.include('must have no SINCE')
    for (const kind of ['Latency', 'MannWhitney'] as const)
      expect(await refused(metric(kind, { appName: 'x'.repeat(4_096) }))).to.include('longer than New Relic allows')
    expect(sent).to.deep.equal([])
  })
})
