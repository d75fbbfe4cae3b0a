import { expect } from 'chai'
import { queryText, textsOf, withTexts } from '../../../common/analysis/texts.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'

const METRIC: Metric = {
  name: 'a',
  kind: 'Latency',
  provider: 'p',
  prometheus: { histogram: 'h', query: 'q', matchers: ['m0', 'm1'], eventMatchers: ['e'] },
  newRelic: { appName: 'app', testPath: 'path', errors: 'errors', podAttribute: 'host', nrql: 'nrql' },
  web: { path: '/', params: { x: 'param' }, pointers: { value: '/v' } },
  plugin: { args: { x: 'arg' } },
}

describe('the texts of a metric', () => {
  it('are those in which placeholders may stand, with their language', () =>
    expect(textsOf(METRIC).map(({ path, language, text }) => `${path.join('.')} ${language} ${text}`)).to.deep.equal([
      'prometheus.query PromQL q',
      'prometheus.matchers.0 PromQL m0',
      'prometheus.matchers.1 PromQL m1',
      'prometheus.eventMatchers.0 PromQL e',
      'newRelic.appName Plain app',
      'newRelic.testPath Plain path',
      'newRelic.errors NRQL errors',
      'newRelic.nrql NRQL nrql',
      'web.path Path /',
      'web.params.x Plain param',
      'plugin.args.x Plain arg',
    ]))

  it('are changed, and nothing else is', () => {
    expect(withTexts(METRIC, ({ text }) => text)).to.deep.equal(METRIC)
    const { prometheus, web, plugin } = withTexts(METRIC, ({ text }) => `${text}!`)
    expect(prometheus).to.deep.equal({ histogram: 'h', query: 'q!', matchers: ['m0!', 'm1!'], eventMatchers: ['e!'] })
    expect(web).to.deep.equal({ path: '/!', params: { x: 'param!' }, pointers: { value: '/v' } })
    expect(plugin).to.deep.equal({ args: { x: 'arg!' } })
  })

  it('are none of a metric without a query', () =>
    expect(textsOf({ name: 'health', kind: 'Health', provider: 'kubernetes' })).to.deep.equal([]))
})

describe('what a metric asks for', () => {
  const { prometheus: _prometheus, newRelic: _newRelic, web: _web, plugin: _plugin, ...bare } = METRIC
  const asked = (of: Partial<Metric>) => queryText({ ...bare, ...of })

  it('N15: is its query, or the name of what is counted', () => {
    expect(asked({ prometheus: { histogram: 'h', matchers: ['a="b"', 'c="d"'] } })).to.equal('h{a="b",c="d"}')
    expect(asked({ prometheus: { events: 'e', total: 't', eventMatchers: ['code="500"'] } })).to.equal('t')
    expect(asked({ prometheus: { query: 'sum(x)' } })).to.equal('sum(x)')
    expect(asked({ newRelic: { appName: 'cart' } })).to.equal('cart')
    expect(asked({ newRelic: { appName: 'cart', testPath: '/cart' } })).to.equal('cart /cart')
    expect(asked({ newRelic: { nrql: 'SELECT 1' } })).to.equal('SELECT 1')
    expect(asked({ web: { path: '/v1/stats', pointers: {} } })).to.equal('/v1/stats')
    expect(asked({ plugin: {} })).to.equal('p')
  })

  it('N15: is short and visible', () =>
    expect(asked({ prometheus: { query: `a\n${'b'.repeat(2_000)}` } })).to.match(/^a\\u000ab+\.\.\.$/))
})
