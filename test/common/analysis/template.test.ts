import { expect } from 'chai'
import type { TemplateSpec } from '../../../common/analysis/kinds/template.ts'
import { type AnalysisSources, resolveAnalysis } from '../../../common/analysis/template.ts'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { analysisWithDefaults, HEALTH_METRIC, metricWithDefaults } from '../../../common/api/analysis/defaults.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { ABSENT, type Known, known, unknown } from '../../../common/api/known.ts'

const errors = (of: Partial<Metric> = {}): Metric => ({
  ...{ name: 'errors', kind: 'ErrorRate', provider: 'prometheus' },
  prometheus: { events: 'e', total: 't', matchers: ['route="{{args.route}}"', 'code=~"{{args.code}}"'] },
  ...of,
})
const HTTP: TemplateSpec = { args: [{ name: 'route' }, { name: 'code', value: '5..' }], metrics: [errors()] }
const latency = (name: string, of: Partial<Metric> = {}): Metric => ({
  ...{ name, kind: 'Latency', provider: 'prometheus', prometheus: { histogram: 'h' } },
  ...of,
})

type Templates = Readonly<Record<string, Known<TemplateSpec>>>

const sources = (templates: Templates = {}, providers: AnalysisSources['provider'] = prometheus): AnalysisSources => ({
  template: (scope, name) => {
    const found = templates[`${scope}/${name}`] ?? ABSENT
    return found.is === 'known' ? known({ metadata: { name }, spec: found.value }) : found
  },
  provider: providers,
  usableProviders: () => ['prometheus'],
  namespace: { name: 'shop', labels: {} },
})
const prometheus = (name: string) =>
  name === 'prometheus'
    ? known({ metadata: { name }, spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: {} } as const })
    : ABSENT

const resolved = (spec: AnalysisSpec, from = sources()) => resolveAnalysis(analysisWithDefaults(spec), from)
const said = (spec: AnalysisSpec, from = sources()) =>
  resolved(spec, from).errors.map(({ field, message, cause }) => `${cause} ${field}: ${message}`)

const USE = { name: 'http', args: { route: '/cart' } }
const withHttp = (spec: TemplateSpec = HTTP) => sources({ 'Namespace/http': known(spec) })

describe('an analysis with its templates', () => {
  it('asks about health where nothing else is asked', () =>
    expect(resolved({})).to.deep.equal({
      metrics: [metricWithDefaults(HEALTH_METRIC)],
      errors: [],
      missing: [],
      providers: [],
    }))

  it('has the metrics of templates first, with their args and all defaults', () =>
    expect(resolved({ templates: [USE], metrics: [latency('latency')] }, withHttp())).to.deep.equal({
      metrics: [
        metricWithDefaults(
          errors({ prometheus: { events: 'e', total: 't', matchers: ['route="/cart"', 'code=~"5.."'] } }),
        ),
        metricWithDefaults(latency('latency')),
      ],
      errors: [],
      missing: [],
      providers: [
        { field: 'spec.analysis.templates[0]', name: 'prometheus' },
        { field: 'spec.analysis.metrics[0].provider', name: 'prometheus' },
      ],
    }))

  it('finds a template by its scope', () => {
    const from = sources({
      'Namespace/http': known({ metrics: [latency('a')] }),
      'Cluster/http': known({ metrics: [latency('b')] }),
    })
    const { metrics } = resolved({ templates: [{ name: 'http', scope: 'Cluster' }, { name: 'http' }] }, from)
    expect(metrics.map(({ name }) => name)).to.deep.equal(['b', 'a'])
  })

  it('suggests a provider that the namespace may use, and a cluster template of the same name', () => {
    const missing = (spec: AnalysisSpec, from = sources()) => resolved(spec, from).missing
    expect(missing({ metrics: [latency('a', { provider: 'prometeus' })] })).to.deep.equal([
      'there is no experimentanalysisprovider/prometeus yet; did you mean "prometheus"?',
    ])
    const noneUsable = { ...sources(), usableProviders: () => [] }
    expect(missing({ metrics: [latency('a', { provider: 'prometeus' })] }, noneUsable)).to.deep.equal([
      'there is no experimentanalysisprovider/prometeus yet',
    ])
    expect(missing({ templates: [{ name: 'http' }] }, sources({ 'Cluster/http': known(HTTP) }))).to.deep.equal([
      'there is no experimentanalysistemplate/http yet; a cluster template has this name; to use it, set scope: Cluster',
    ])
  })

  it('waits for what is not there or could not be read', () => {
    const metrics = [latency('a', { provider: 'other' }), latency('b', { provider: 'other' })]
    const templates = [{ name: 'http' }, { name: 'late', scope: 'Cluster' as const }]
    const from = sources({ 'Cluster/late': unknown('not read in time') })
    expect(resolved({ templates, metrics }, from)).to.deep.include({
      errors: [],
      missing: [
        'there is no experimentanalysistemplate/http yet',
        'clusterexperimentanalysistemplate/late: not read in time',
        'there is no experimentanalysisprovider/other yet',
      ],
    })
    const ofTemplate = sources({ 'Namespace/http': known({ metrics: [latency('a', { provider: 'other' })] }) })
    expect(resolved({ templates: [{ name: 'http' }] }, ofTemplate).missing).to.have.lengthOf(1)
  })

  it('refuses args that the template does not have, and misses those that it needs', () => {
    expect(said({ templates: [{ name: 'http', args: { rotue: '/cart' } }] }, withHttp())).to.deep.equal([
      'FieldValueNotSupported spec.analysis.templates[0].args.rotue: unknown arg; did you mean "route"?',
      'FieldValueRequired spec.analysis.templates[0].args.route: required by the template; set it',
    ])
    expect(said({ templates: [{ name: 'http', args: { ...USE.args, zzz: '1' } }] }, withHttp())).to.deep.equal([
      'FieldValueNotSupported spec.analysis.templates[0].args.zzz: unknown arg; valid args: route, code',
    ])
    expect(said({ templates: [USE] }, withHttp({ metrics: [latency('a')] }))).to.deep.equal([
      'FieldValueNotSupported spec.analysis.templates[0].args.route: unknown arg; the template has no args; remove it',
    ])
  })

  it('says what is wrong in a template, and where', () => {
    const wrong = {
      metrics: [latency('a', { prometheus: { histogram: 'h', matchers: ['pod="x"', 'a="{{args.b}}"'] } })],
    }
    expect(said({ templates: [{ name: 'http' }] }, withHttp(wrong))).to.deep.equal([
      'FieldValueInvalid spec.analysis.templates[0]: experimentanalysistemplate/http: ' +
        'spec.metrics[0].prometheus.matchers[1]: {{args.b}}: the template has no such arg; add it to spec.args',
      'FieldValueForbidden spec.analysis.templates[0]: experimentanalysistemplate/http: ' +
        'spec.metrics[0].prometheus.matchers[0]: the label pod is always set by the query itself; remove it',
    ])
  })

  it('checks a text again when its args are filled in', () => {
    const web = (path: string): TemplateSpec => ({
      args: [{ name: 'team' }],
      metrics: [{ name: 'a', kind: 'Value', provider: 'web', web: { path, pointers: { value: '/v' } } }],
    })
    const paths = (team: string) =>
      resolved(
        { templates: [{ name: 'http', args: { team } }] },
        sources({ 'Namespace/http': known(web('/{{args.team}}/{{pods}}')) }, () => unknown('not read')),
      )
    expect(paths('a/b').metrics[0]?.web?.path).to.equal('/a%2Fb/{{pods}}')
    expect(paths('..')).to.deep.include({
      metrics: [],
      errors: [
        {
          field: 'spec.analysis.templates[0]',
          message: 'experimentanalysistemplate/http: spec.metrics[0].web.path: must be a path, such as /v1/stats',
          cause: 'FieldValueTypeInvalid',
        },
      ],
    })
  })

  it('lets only cluster templates have queries of their own', () => {
    const free: TemplateSpec = {
      metrics: [{ name: 'a', kind: 'Threshold', provider: 'prometheus', max: 1, prometheus: { query: 'up' } }],
    }
    const from = sources({ 'Namespace/http': known(free), 'Cluster/http': known(free) })
    expect(said({ templates: [{ name: 'http', scope: 'Cluster' }] }, from)).to.deep.equal([])
    expect(said({ templates: [{ name: 'http' }] }, from)[0]).to.include(
      'spec.metrics[0].prometheus.query: queries of your own',
    )
  })

  it('has at most 8 metrics', () => {
    const eight = Array.from({ length: 8 }, (_, index) => latency(`m${index}`))
    expect(said({ metrics: eight })).to.deep.equal([])
    expect(said({ templates: [USE], metrics: eight }, withHttp())).to.deep.equal([
      'FieldValueInvalid spec.analysis: has 9 metrics, those of templates included; remove some, at most 8',
    ])
  })

  it('has each name once', () => {
    const two = sources({
      'Namespace/http': known(HTTP),
      'Cluster/more': known({ metrics: [errors({ prometheus: {} })] }),
    })
    const templates = [USE, { name: 'more', scope: 'Cluster' as const }]
    expect(said({ templates, metrics: [latency('errors')] }, two)).to.deep.equal([
      'FieldValueDuplicate spec.analysis.templates[1]: a metric of template "http" has the name "errors" too; use only one of the templates',
      'FieldValueDuplicate spec.analysis.metrics[0].name: a metric of template "http" has the name "errors"; choose another one',
    ])
    expect(said({ metrics: [latency('a'), latency('a')] })).to.deep.equal([
      'FieldValueDuplicate spec.analysis.metrics[1].name: another metric has the name "a"; choose another one',
    ])
  })

  it('has a metric that counts', () => {
    const dry = withHttp({ metrics: [latency('a', { dryRun: true })] })
    const refused = 'FieldValueInvalid spec.analysis: every metric is a dry run, so nothing counts; add one that does'
    expect(said({ templates: [{ name: 'http' }] }, dry)).to.deep.equal([refused])
    expect(said({ templates: [{ name: 'http' }], metrics: [latency('b')] }, dry)).to.deep.equal([])
    expect(said({ templates: [{ name: 'http' }, { name: 'late' }] }, dry)).to.deep.equal([])
  })
})
