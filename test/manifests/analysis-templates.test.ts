import { expect } from 'chai'
import { decodeTemplate } from '../../common/analysis/kinds/template.ts'
import { type AnalysisSources, resolveAnalysis } from '../../common/analysis/template.ts'
import { analysisWithDefaults } from '../../common/api/analysis/defaults.ts'
import { known } from '../../common/api/known.ts'
import { shipped } from './shipped.ts'

const PROVIDERS = {
  prometheus: { type: 'Prometheus', address: 'https://a', namespaceSelector: {} },
  'new-relic': { type: 'NewRelic', newRelic: { accountId: 1 }, namespaceSelector: {}, credential: 'a' },
} as const

/** The args that each template needs, and its metrics. */
const TEMPLATES: Readonly<
  Record<string, readonly [args: Readonly<Record<string, string>>, metrics: readonly string[]]>
> = {
  http: [{}, ['latency', 'errors', 'health']],
  istio: [{}, ['latency', 'errors', 'health']],
  'gated-deployments': [{ appName: 'cart', testPath: '/cart' }, ['performance']],
}

describe('the templates of the manifests', () => {
  const templates = shipped('analysis-templates')

  it('are all cluster templates', () =>
    expect(templates.map(({ kind, metadata: { name } }) => [kind, name])).to.have.deep.members(
      Object.keys(TEMPLATES).map((name) => ['ClusterExperimentAnalysisTemplate', name]),
    ))

  for (const [name, [args, metrics]] of Object.entries(TEMPLATES))
    it(`resolve ${name} with no other args than it needs`, () => {
      const [stored] = templates.filter(({ metadata }) => metadata.name === name)
      const decoded = stored && decodeTemplate(stored)
      if (decoded?.is !== 'template') throw new Error(`${name}: ${JSON.stringify(decoded)}`)
      const sources: AnalysisSources = {
        template: () => known(decoded.template),
        provider: (provider) =>
          known({ metadata: { name: provider }, spec: PROVIDERS[provider as keyof typeof PROVIDERS] }),
        usableProviders: () => [],
        namespace: { name: 'shop', labels: {} },
      }
      const spec = analysisWithDefaults({ templates: [{ name, scope: 'Cluster', args }] })
      const resolved = resolveAnalysis(spec, sources)
      expect(resolved).to.deep.include({ errors: [], missing: [] })
      expect(resolved.metrics.map((metric) => metric.name)).to.deep.equal(metrics)
      expect(JSON.stringify(resolved.metrics)).not.to.include('{{')
    })
})
