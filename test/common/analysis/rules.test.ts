import { expect } from 'chai'
import type { ProviderSpec } from '../../../common/analysis/kinds/provider.ts'
import { type MetricRuleInput, metricErrors, needsProvider } from '../../../common/analysis/rules.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'

const provider = (of: Partial<ProviderSpec> = {}) =>
  known({
    metadata: { name: 'p' },
    spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: {}, ...of } as ProviderSpec,
  })
const latency = (matchers: readonly string[]): Metric => ({
  ...{ name: 'a', kind: 'Latency', provider: 'p' },
  prometheus: { histogram: 'h', matchers },
})
const threshold = (query: string): Metric => ({
  ...{ name: 'a', kind: 'Threshold', provider: 'p', max: 1 },
  prometheus: { query },
})
const nrql: Metric = { name: 'a', kind: 'Value', provider: 'p', newRelic: { nrql: "SELECT '{{pods}}'" } }

const said = (metric: Metric, input: Partial<MetricRuleInput> = {}) =>
  metricErrors(metric, 'spec.analysis.metrics[0]', {
    ...{ provider: provider(), args: undefined, isOfCluster: false },
    ...input,
  }).map(({ field, message, cause }) => `${cause} ${field}: ${message}`)

const AT = 'spec.analysis.metrics[0]'

describe('the rules of a metric', () => {
  it('let a sound one pass', () => {
    expect(said(latency(['route="/cart"', 'code=~"5.."']))).to.deep.equal([])
    expect(said({ name: 'health', kind: 'Health', provider: 'kubernetes' }, { provider: ABSENT })).to.deep.equal([])
  })

  it('N44: refuse strata that are no sorts of requests', () => {
    const by = (stratifyBy: string): Metric => ({ ...latency([]), prometheus: { histogram: 'h', stratifyBy } })
    const refused = (label: string) =>
      `FieldValueForbidden ${AT}.prometheus.stratifyBy: the label ${label} does not tell requests apart; name one that does, such as route`
    expect(said(by('route'))).to.deep.equal([])
    for (const label of ['pod', 'namespace', 'le', '__name__']) expect(said(by(label))).to.deep.equal([refused(label)])
    const renamed = provider({ podLabel: 'kubernetes_pod', namespaceLabel: 'ns' })
    expect(said(by('pod'), { provider: renamed })).to.deep.equal([])
    expect(said(by('kubernetes_pod'), { provider: renamed })).to.deep.equal([refused('kubernetes_pod')])
    for (const none of [ABSENT, unknown('not read')])
      expect(said(by('pod'), { provider: none })).to.deep.equal([refused('pod')])
  })

  it('refuse a matcher on the labels of the provider', () => {
    const set = (label: string, index: number) =>
      `FieldValueForbidden ${AT}.prometheus.matchers[${index}]: the label ${label} is always set by the query itself; remove it`
    expect(said(latency(['a="b"', 'pod="x"', 'namespace =~ ".*"']))).to.deep.equal([set('pod', 1), set('namespace', 2)])
    const renamed = provider({ podLabel: 'kubernetes_pod', namespaceLabel: 'ns' })
    expect(said(latency(['pod="x"', 'ns="x"', 'kubernetes_pod!="x"']), { provider: renamed })).to.deep.equal([
      set('ns', 1),
      set('kubernetes_pod', 2),
    ])
    for (const none of [ABSENT, unknown('not read')])
      expect(said(latency(['pod="x"']), { provider: none })).to.deep.equal([set('pod', 0)])
    const events: Metric = { ...latency([]), prometheus: { eventMatchers: ['pod="x"'] } }
    expect(said(events)).to.deep.equal([set('pod', 0).replace('matchers', 'eventMatchers')])
  })

  it('refuse what is no matcher, where the CRD was loosened', () =>
    expect(said(latency(['a="b",pod="c"']))).to.deep.equal([
      `FieldValueInvalid ${AT}.prometheus.matchers[0]: must be a matcher, such as route="/cart"; correct it`,
    ]))

  it('refuse placeholders at the wrong place', () =>
    expect(said(threshold('q{a={{pods}}}'), { provider: provider({ freeQueries: true }) })).to.deep.equal([
      `FieldValueInvalid ${AT}.prometheus.query: {{pods}}: must stand in double quotes; put it there`,
    ]))

  it('refuse a query of another type of provider', () => {
    const of = (type: ProviderSpec['type'], block: string) =>
      `FieldValueInvalid ${AT}.provider: "p" is of the type ${type}; set ${block}, or name another provider`
    for (const [type, block] of [
      ['NewRelic', 'newRelic'],
      ['Web', 'web'],
      ['Plugin', 'plugin'],
    ] as const)
      expect(said(latency([]), { provider: provider({ type }) })).to.deep.equal([of(type, block)])
  })

  it('refuse free queries, but in cluster templates and where the provider has them', () => {
    const refused = (field: string) =>
      `FieldValueForbidden ${AT}.${field}: queries of your own are not allowed by provider "p"; use a cluster template, or ask an administrator for freeQueries`
    const newRelic = { type: 'NewRelic', newRelic: { accountId: 1 } } as const
    expect(said(threshold('up'))).to.deep.equal([refused('prometheus.query')])
    expect(said(nrql, { provider: provider(newRelic) })).to.deep.equal([refused('newRelic.nrql')])
    expect(said(threshold('up'), { isOfCluster: true })).to.deep.equal([])
    expect(said(nrql, { provider: provider({ ...newRelic, freeQueries: true }) })).to.deep.equal([])
    expect(said(threshold('up'), { provider: ABSENT })).to.deep.equal([])
  })

  it('refuse a provider that is not for the namespace', () => {
    const selecting = provider({ namespaceSelector: { matchLabels: { team: 'shop' } } })
    const namespace = { name: 'shop', labels: {} }
    expect(said(latency([]), { provider: selecting, namespace })).to.deep.equal([
      `FieldValueForbidden ${AT}.provider: provider "p" is not for namespace "shop"; name another one, or ask an administrator to select the namespace`,
    ])
    expect(said(latency([]), { provider: selecting, namespace: { ...namespace, labels: { team: 'shop' } } }))
      .to.deep //
      .equal([])
    expect(said(latency([]), { provider: selecting })).to.deep.equal([])
  })
})

describe('needsProvider', () => {
  it('is false only of what Kubernetes itself says', () => {
    expect(needsProvider({ name: 'health', kind: 'Health', provider: 'kubernetes' })).to.equal(false)
    expect(needsProvider(nrql)).to.equal(true)
  })
})
