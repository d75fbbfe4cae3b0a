import { expect } from 'chai'
import type { AnalysisProvider } from '../../../common/analysis/kinds/provider.ts'
import type { AnalysisTemplate } from '../../../common/analysis/kinds/template.ts'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { type Known, known, unknown } from '../../../common/api/known.ts'
import { analysisErrors, analysisOf, analysisWarnings, providerRefs } from '../../../common/assess/analysis-errors.ts'
import type { AnalysisFacts } from '../../../common/facts/facts.ts'
import { anExperiment } from '../../builders.ts'

const metric = (name: string): Metric => ({
  ...{ name, kind: 'Latency', provider: 'prometheus' },
  prometheus: { histogram: 'h', matchers: ['pod="x"'] },
})
const template = (name: string): AnalysisTemplate => ({ metadata: { name: 'http' }, spec: { metrics: [metric(name)] } })
const provider: AnalysisProvider = {
  metadata: { name: 'prometheus' },
  spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: { matchLabels: { team: 'shop' } } },
}
const byName = <T>(of: Readonly<Record<string, Known<T>>>) => known(new Map(Object.entries(of)))

const FACTS: AnalysisFacts = {
  templates: byName({ http: known(template('own')) }),
  clusterTemplates: byName({ http: known(template('all')) }),
  providers: byName({ prometheus: known(provider) }),
  namespace: { name: 'shop', labels: { team: 'shop' } },
}
const facts = (spec: AnalysisSpec, analysis: AnalysisFacts | undefined = FACTS) => ({
  experiment: anExperiment({ analysis: spec, replicas: 2 }),
  analysis,
  now: NOW,
})
const NOW = new Date('2026-11-21T10:00:00Z')
const SET = 'prometheus.matchers[0]: the label pod is always set by the query itself; remove it'

describe('the analysis of an experiment', () => {
  it('is not there without spec.analysis, and without the component', () => {
    for (const none of [
      { experiment: anExperiment(), analysis: FACTS, now: NOW },
      { experiment: anExperiment({ analysis: {} }), now: NOW },
    ]) {
      expect(analysisOf(none)).to.equal(undefined)
      expect(analysisErrors(none)).to.deep.equal([])
      expect(analysisWarnings(none)).to.deep.equal([])
      expect(providerRefs(none)).to.equal(undefined)
    }
  })

  it('asks about health where nothing else is asked', () => {
    expect(analysisOf(facts({}))?.metrics.map(({ kind }) => kind)).to.deep.equal(['Health'])
    expect(providerRefs(facts({}))).to.deep.equal([])
  })

  it('has mistakes at their fields', () =>
    expect(analysisErrors(facts({ metrics: [metric('a')] })).map(({ field, message }) => `${field}: ${message}`))
      .to.deep //
      .equal([`spec.analysis.metrics[0].${SET}`]))

  it('finds templates of both scopes, and providers', () => {
    const both = facts({ templates: [{ name: 'http' }, { name: 'http', scope: 'Cluster' }] })
    expect(analysisErrors(both).map(({ message }) => message)).to.deep.equal([
      `experimentanalysistemplate/http: spec.metrics[0].${SET}`,
      `clusterexperimentanalysistemplate/http: spec.metrics[0].${SET}`,
    ])
    expect(providerRefs(both)).to.deep.equal([
      { field: 'spec.analysis.templates[0]', name: 'prometheus' },
      { field: 'spec.analysis.templates[1]', name: 'prometheus' },
    ])
  })

  it('knows for which namespaces a provider is', () => {
    const elsewhere = { ...FACTS, namespace: { name: 'shop', labels: {} } }
    expect(analysisErrors(facts({ metrics: [metric('a')] }, elsewhere))).to.have.lengthOf(2)
    expect(analysisErrors(facts({ metrics: [metric('a')] }, { ...FACTS, namespace: undefined }))).to.have.lengthOf(1)
  })

  it('warns of what is not there, malformed, or not read', () => {
    const warned = (analysis: AnalysisFacts) =>
      analysisWarnings(facts({ templates: [{ name: 'http' }], metrics: [metric('a')] }, analysis))
    expect(warned({ ...FACTS, templates: byName({}), providers: unknown('not read in time') })).to.deep.equal([
      {
        reason: 'AnalysisNotReady',
        message:
          'there is no experimentanalysistemplate/http yet; a cluster template has this name; to use it, set scope: Cluster',
      },
      { reason: 'AnalysisNotReady', message: 'experimentanalysisprovider/prometheus: not read in time' },
    ])
    expect(warned({ ...FACTS, templates: byName({ http: unknown('spec.metrics: wrong') }) })).to.deep.equal([
      { reason: 'AnalysisNotReady', message: 'experimentanalysistemplate/http: spec.metrics: wrong' },
    ])
  })

  describe('warns', () => {
    const warned = (of: Parameters<typeof anExperiment>[0]) =>
      analysisWarnings({ experiment: anExperiment(of), analysis: FACTS, now: NOW }).map(
        ({ reason, message }) => `${reason}: ${message}`,
      )
    const latency: AnalysisSpec = { metrics: [{ ...metric('a'), prometheus: { histogram: 'h' } }] }

    it('of one pod, where requests are compared and no strategy has more', () => {
      const text = 'OnePod: a slow pod and a slow version look the same if there is one pod; set replicas to 2'
      expect(warned({ analysis: latency })).to.deep.equal([text])
      expect(warned({ analysis: latency, replicas: 2 })).to.deep.equal([])
      expect(warned({ analysis: latency, strategy: { canary: {} } })).to.deep.equal([])
      expect(warned({ analysis: {} })).to.deep.equal([])
    })

    it('of an end that comes before a verdict can', () => {
      expect(warned({ analysis: { maxSeconds: 3_600 }, ttlSeconds: 600 })).to.deep.equal([
        'AnalysisTooShort: expires after 600s, and warmUpSeconds and maxSeconds take 3660s; raise ttlSeconds',
      ])
      expect(warned({ analysis: latency, replicas: 2, ttlSeconds: 60 })).to.deep.equal([
        'AnalysisTooShort: expires after 60s, and warmUpSeconds and one window take 90s; raise ttlSeconds',
      ])
      expect(warned({ analysis: { maxSeconds: 600 }, ttlSeconds: 660 })).to.deep.equal([])
    })

    it('N14: of a Pass that is impossible, once', () => {
      expect(warned({ analysis: { maxSeconds: 60, onTimeout: 'Keep' } })).to.deep.equal([
        'AnalysisTooShort: health takes 300s without a restart, so it can never pass within maxSeconds (60); set maxSeconds to 300 or more',
      ])
      expect(warned({ analysis: {}, ttlSeconds: 60 })).to.deep.equal([
        'AnalysisTooShort: health takes 300s without a restart after warmUpSeconds (60), so it can never pass before the experiment expires; set ttlSeconds to 420 or more',
      ])
    })

    describe('of windows that overlap, because they count as independent:', () => {
      const RATE = 'histogram_quantile(0.95, sum by (le) (rate(x_bucket{pod=~"{{pods}}"}'
      const TEXT =
        'WindowsOverlap: p95: a range in its query is not the window, so alpha and beta do not hold; ' +
        'write [{{windowSeconds}}s]'
      const asks = (query: string, of: Partial<Metric> = {}) =>
        warned({
          analysis: {
            metrics: [{ name: 'p95', kind: 'Value', provider: 'prometheus', prometheus: { query }, ...of }],
          },
        })

      for (const range of ['5m', '30s', '{{windowSeconds}}s])[5m:30s', '1h:', '{{windowSeconds}}m'])
        it(`a range [${range}] in a Value`, () => expect(asks(`${RATE}[${range}])))`)).to.deep.equal([TEXT]))

      for (const range of ['{{windowSeconds}}s', ' {{windowSeconds}}s ', '{{windowSeconds}}s:5s'])
        it(`not a range [${range}]`, () => expect(asks(`${RATE}[${range}])))`)).to.deep.equal([]))

      it('not what is no range, or of what claims no bound', () => {
        for (const query of ['avg(x{pod=~"{{pods}}"})', 'avg(x{pod=~"{{pods}}",a=~"\\"[5m]",b=\'[5m]\'}) # [5m]'])
          expect(asks(query)).to.deep.equal([])
        expect(asks('rate(x[5m])', { kind: 'Threshold', max: 1 })).to.deep.equal([])
        expect(asks(`${RATE}[5m])))`, { dryRun: true })).to.deep.equal([])
      })
    })

    it('of a promotion for want of a verdict', () =>
      expect(warned({ analysis: { onTimeout: 'Promote' } })).to.deep.equal([
        'TimeoutPromotes: passes when maxSeconds are over, although nothing was shown; use RollBack or Keep',
      ]))
  })
})

describe('a twin', () => {
  const errorsWith = (of: Parameters<typeof anExperiment>[0], control: 'Source' | 'Twin' = 'Twin') =>
    analysisErrors({ experiment: anExperiment({ analysis: { control }, ...of }), analysis: FACTS }).map(
      ({ field, message }) => `${field}: ${message}`,
    )
  const REFUSED = [
    'spec.analysis.control: Twin needs a fork whose pods get requests as soon as they are ready; set Source, or ' +
      'strategy.canary without traffic.mode Gated',
  ]
  const canary = { steps: [{ setWeight: 10 }] }

  it('is refused beside a gate, which gives the pods of the fork their requests later', () => {
    expect(errorsWith({ strategy: { blueGreen: { activeService: 'cart' } } })).to.deep.equal(REFUSED)
    expect(errorsWith({ strategy: { canary }, traffic: { mode: 'Gated' } })).to.deep.equal(REFUSED)
    expect(errorsWith({ strategy: { blueGreen: { activeService: 'cart' } } }, 'Source')).to.deep.equal([])
  })

  it('is accepted without a strategy, and with a canary whose pods get requests at once', () => {
    expect(errorsWith({})).to.deep.equal([])
    expect(errorsWith({ strategy: { canary } })).to.deep.equal([])
  })
})
