import { expect } from 'chai'
import fc from 'fast-check'
import { placeholderErrors } from '../../../../common/analysis/placeholders.ts'
import {
  eventsRequest,
  histogramRequest,
  totalRequest,
  valueRequest,
} from '../../../../common/analysis/query/promql.ts'
import type { ProviderRequest } from '../../../../common/analysis/query/window-query.ts'
import { MATCHER_PATTERN } from '../../../../common/api/analysis/patterns.ts'
import { LAW } from '../../../property.ts'
import { LABELS, WINDOW, windowQuery } from './window-queries.ts'

const fieldsOf = ({ body }: ProviderRequest) => Object.fromEntries(new URLSearchParams(body?.text))
const queryIn = (request: ProviderRequest) => fieldsOf(request).query

const histogram = (...matchers: readonly string[]) => windowQuery('Latency', { histogram: 'seconds', matchers })
const errors = windowQuery('ErrorRate', {
  events: 'errors_total',
  eventMatchers: ['code=~"5.."'],
  total: 'requests_total',
  matchers: ['route="/cart"'],
})

describe('a request to Prometheus', () => {
  it('is for the series of an arm at both edges of the window, to the millisecond', () => {
    const request = totalRequest(errors, 'treatment', LABELS)
    expect(request).to.have.keys('method', 'path', 'body')
    expect([request.method, request.path, request.body?.type]).to.deep.equal([
      'POST',
      '/api/v1/query_range',
      'application/x-www-form-urlencoded',
    ])
    expect(fieldsOf(request)).to.deep.equal({
      query: 'requests_total{namespace="shop",pod=~"cart-exp-a|cart-exp-b",route="/cart"}',
      start: '1700000000.123',
      end: '1700000030.123',
      step: '30000ms',
    })
  })

  it('has the matchers of all series for the events, too, and those of the events only there', () =>
    expect(queryIn(eventsRequest(errors, 'control', LABELS))).to.equal(
      'errors_total{namespace="shop",pod=~"cart-a|cart-b",route="/cart",code=~"5.."}',
    ))

  it('is for both sorts of a histogram', () =>
    expect(queryIn(histogramRequest(histogram(), 'control', LABELS))).to.equal(
      '{__name__=~"seconds|seconds_bucket",namespace="shop",pod=~"cart-a|cart-b"}',
    ))

  it('names pods and namespace by the labels of the provider', () =>
    expect(
      queryIn(
        totalRequest(errors, 'control', { podLabel: 'kubernetes_pod_name', namespaceLabel: 'kubernetes_namespace' }),
      ),
    ).to.equal('requests_total{kubernetes_namespace="shop",kubernetes_pod_name=~"cart-a|cart-b",route="/cart"}'))

  it('takes the dots of names as dots', () => {
    const { arms } = histogram()
    const query = { ...histogram(), arms: { ...arms, control: { workload: 'v1.2', pods: ['v1.2-a', 'v1.2-b'] } } }
    expect(queryIn(histogramRequest(query, 'control', LABELS))).to.contain('pod=~"v1[.]2-a|v1[.]2-b"')
  })

  it('has each matcher as one matcher, with the escapes of JSON and no half surrogate pair', () =>
    expect(
      queryIn(histogramRequest(histogram('a != "\\"} or x{b=\\"\\\\\\n"', 'c!~"\ud800é"'), 'control', LABELS)),
    ).to.match(/,a!="\\"} or x{b=\\"\\\\\\n",c!~"\\ufffdé"}$/))

  it('fills the placeholders of matchers in for each arm', () => {
    const query = histogram('service="{{workload}}-{{arm}}"')
    expect(queryIn(histogramRequest(query, 'treatment', LABELS))).to.match(/,service="cart-exp-treatment"}$/)
    expect(queryIn(histogramRequest(query, 'control', LABELS))).to.match(/,service="cart-control"}$/)
  })

  it('never has a matcher that is none', () =>
    expect(() => histogramRequest(histogram('a="b"} or {c="d"'), 'control', LABELS)).to.throw(/^not a matcher: a=/))

  it('keeps the value of every matcher that admission allows', () => {
    const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/)
    const operator = fc.constantFrom('=', '!=', '=~', '!~')
    fc.assert(
      fc.property(word, operator, fc.string({ unit: 'binary' }), (label, sign, value) => {
        const matcher = `${label}${sign}${JSON.stringify(value)}`
        fc.pre(new RegExp(MATCHER_PATTERN).test(matcher) && !/\{\{|\ufffd/.test(value))
        const sent = queryIn(histogramRequest(histogram(matcher), 'control', LABELS)) ?? ''
        expect(sent.endsWith(`pod=~"cart-a|cart-b",${matcher}}`)).to.equal(true)
      }),
      LAW,
    )
  })
})

describe('a request for the query of a metric', () => {
  const asked = (query: string, length = 30_000) =>
    windowQuery('Value', { query }, { window: { start: WINDOW.start, end: WINDOW.start + length } })
  const ALL = 'f(a{p=~"{{pods}}",n="{{namespace}}",w="{{workload}}",arm="{{arm}}"}[{{windowSeconds}}s])'

  it('has its placeholders filled in for the arm, at the end of the window', () => {
    expect(placeholderErrors(ALL, 'PromQL', undefined)).to.deep.equal([])
    const request = valueRequest(asked(ALL), 'treatment')
    expect([request.method, request.path]).to.deep.equal(['POST', '/api/v1/query'])
    expect(fieldsOf(request)).to.deep.equal({
      query: 'f(a{p=~"cart-exp-a|cart-exp-b",n="shop",w="cart-exp",arm="treatment"}[30s])',
      time: '1700000030.123',
    })
  })

  it('has a whole number of seconds, at least one', () => {
    expect(queryIn(valueRequest(asked('a[{{windowSeconds}}s]', 59_900), 'control'))).to.equal('a[60s]')
    expect(queryIn(valueRequest(asked('a[{{windowSeconds}}s]', 10), 'control'))).to.equal('a[1s]')
  })
})
