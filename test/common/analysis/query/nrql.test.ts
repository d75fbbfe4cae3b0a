import { expect } from 'chai'
import fc from 'fast-check'
import {
  boundariesAround,
  eventColumns,
  latencyColumns,
  MEDIAN_COLUMNS,
  nerdGraphRequest,
  sampleColumns,
  transactionQueries,
  valueQuery,
} from '../../../../common/analysis/query/nrql.ts'
import type { NewRelicQuery } from '../../../../common/api/analysis/metric.ts'
import { LAW } from '../../../property.ts'
import { aWindowQuery } from './queries.ts'

const WINDOW = 'SINCE 1795269900000 UNTIL 1795269930000'
const TOO_LONG = { is: 'failed', message: 'the query is longer than New Relic allows' }
const QUERY = aWindowQuery({})

const queriesFor = (newRelic: NewRelicQuery, columns = MEDIAN_COLUMNS, query = QUERY) =>
  transactionQueries({ podAttribute: 'host', ...newRelic }, columns, query, 'control')
const asked = (...of: Parameters<typeof queriesFor>) => {
  const queries = queriesFor(...of)
  return queries.is === 'failed' ? [] : queries.queries.map(({ nrql }) => nrql)
}
const withPods = (pods: readonly string[]) =>
  aWindowQuery({}, { arms: { ...QUERY.arms, control: { workload: 'cart', pods } } })

describe('a query about transactions', () => {
  it('names the application, the pods and the window', () => {
    expect(asked({ appName: 'Cart' })).to.deep.equal([
      `SELECT count(*), percentile(duration, 50) FROM Transaction WHERE appName = 'Cart' AND host IN ('cart-0', 'cart-1') ${WINDOW}`,
    ])
    expect(asked({ appName: '{{namespace}} {{workload}} {{arm}}', testPath: '/a', podAttribute: 'k8s.podName' }))
      .to.deep //
      .equal([
        `SELECT count(*), percentile(duration, 50) FROM Transaction WHERE appName = 'shop cart control' AND request.uri = '/a' AND k8s.podName IN ('cart-0', 'cart-1') ${WINDOW}`,
      ])
  })

  it('counts pod by pod, or asks for every request', () => {
    const where = `FROM Transaction WHERE appName = 'a' AND host IN ('cart-0', 'cart-1') ${WINDOW}`
    expect(asked({ appName: 'a' }, latencyColumns([0.1, 20], 'host'))).to.deep.equal([
      `SELECT count(*), filter(count(*), WHERE duration > 0.1) AS 'b0', filter(count(*), WHERE duration > 20) AS 'b1' ${where} FACET host LIMIT MAX`,
    ])
    expect(asked({ appName: 'a' }, eventColumns('error is true', 'host'))).to.deep.equal([
      `SELECT count(*), filter(count(*), WHERE (error is true)) AS 'events' ${where} FACET host LIMIT MAX`,
    ])
    expect(asked({ appName: 'a' }, sampleColumns('host'))).to.deep.equal([`SELECT duration, host ${where} LIMIT MAX`])
  })

  it('keeps names in their quotes, whatever is in them', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (appName, testPath) => {
        fc.pre(!/\{\{/.test(appName + testPath))
        const [nrql = ''] = asked({ appName, testPath })
        const texts = [...nrql.matchAll(/ = '((?:\\[\s\S]|[^'\\])*)'/g)].map(([, text = '']) =>
          text.replaceAll(/\\([\s\S])/g, '$1'),
        )
        expect(texts).to.deep.equal([appName, testPath])
        const without = nrql.replaceAll(/'(?:\\[\s\S]|[^'\\])*'/g, '_')
        expect(without).to.equal(
          `SELECT count(*), percentile(duration, 50) FROM Transaction WHERE appName = _ AND request.uri = _ AND host IN (_, _) ${WINDOW}`,
        )
      }),
      LAW,
    ))

  it('shares many pods among queries that New Relic accepts', () => {
    const pods = Array.from({ length: 64 }, (_, at) => `${'p'.repeat(60)}${at}`)
    const queries = queriesFor({ appName: 'é'.repeat(256) }, MEDIAN_COLUMNS, withPods(pods))
    const found = queries.is === 'failed' ? [] : queries.queries
    expect(found.flatMap((each) => each.pods)).to.deep.equal(pods)
    expect(found).to.have.length(2)
    for (const { nrql, pods: named } of found) {
      expect(Buffer.byteLength(nrql)).to.be.below(4_096)
      expect([...nrql.matchAll(/p{60}\d+/g)].map(([name]) => name)).to.deep.equal(named)
    }
    expect(Buffer.byteLength(found[0]?.nrql ?? '')).to.be.above(4_096 - 68)
  })

  it('is not asked where it would be too long, or too many', () => {
    const long = { appName: 'a', testPath: '\u{1f600}'.repeat(1_024) }
    expect(queriesFor(long)).to.deep.equal(TOO_LONG)
    const pods = Array.from({ length: 9 }, (_, at) => `${'p'.repeat(200)}${at}`)
    const testPath = 'x'.repeat(3_600)
    expect(queriesFor({ appName: 'a', testPath }, MEDIAN_COLUMNS, withPods(pods))).to.deep.equal(TOO_LONG)
    expect(asked({ appName: 'a', testPath }, MEDIAN_COLUMNS, withPods(pods.slice(1)))).to.have.length(8)
  })
})

describe('a query of a user', () => {
  const value = (nrql: string, arm: 'treatment' | 'control' = 'control') => valueQuery(nrql, QUERY, arm)

  it('has its placeholders and the times of the window', () =>
    expect(value("SELECT average(x) FROM E WHERE host RLIKE r'{{pods}}' AND since2 = '{{arm}}' // 5")).to.deep.equal({
      is: 'query',
      nrql: `SELECT average(x) FROM E WHERE host RLIKE r'cart-0|cart-1' AND since2 = 'control' // 5\n${WINDOW}`,
    }))

  for (const nrql of [
    'SELECT 1 SINCE 1 day ago',
    'SELECT 1 until now',
    "SELECT 'a' since 5",
    "SELECT 'it\\'s' since 5",
  ])
    it(`has no times of its own: ${nrql}`, () =>
      expect(value(nrql)).to.deep.equal({ is: 'failed', message: 'newRelic.nrql: must have no SINCE and no UNTIL' }))

  for (const nrql of [
    "SELECT 1 WHERE a = 'since'",
    'SELECT `until`',
    'SELECT "since"',
    'SELECT 1 -- since',
    '/* until */ SELECT 1',
  ])
    it(`may have the words elsewhere: ${nrql}`, () => expect(value(nrql)).to.deep.include({ is: 'query' }))

  it('is not asked where it would be too long', () => expect(value('x'.repeat(4_096))).to.deep.equal(TOO_LONG))
})

describe('the request to NerdGraph', () => {
  it('has the query as a variable', () => {
    const { body, ...request } = nerdGraphRequest(807_783, "SELECT 'a'")
    expect(request).to.deep.equal({ method: 'POST', path: '/graphql' })
    expect(body?.type).to.equal('application/json')
    expect(JSON.parse(body?.text ?? '')).to.deep.equal({
      query: 'query($a:Int!,$q:Nrql!){actor{account(id:$a){nrql(query:$q,timeout:10){results}}}}',
      variables: { a: 807_783, q: "SELECT 'a'" },
    })
  })
})

describe('boundaries', () => {
  it('are around the median, √2 apart', () =>
    expect(boundariesAround(0.1)).to.deep.equal([
      0.01768, 0.025, 0.03536, 0.05, 0.07071, 0.1, 0.1414, 0.2, 0.2828, 0.4, 0.5657, 0.8,
    ]))

  it('can be written in NRQL, whatever the median is', () =>
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true }), (median) => {
        const boundaries = boundariesAround(median)
        expect(boundaries).to.have.length(12)
        for (const [at, each] of boundaries.entries()) {
          expect(each).to.be.above(boundaries[at - 1] ?? 0)
          expect(`${each}`).to.match(/^\d+(\.\d+)?$/)
        }
      }),
    ))
})
