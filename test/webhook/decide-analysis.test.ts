import { expect } from 'chai'
import type { AnalysisSpec } from '../../common/api/analysis/analysis.ts'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, aPolicy } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const SCHEMA = deploymentSchema()

const PROVIDER = {
  apiVersion: ANALYSIS_PROVIDER.apiVersion,
  kind: ANALYSIS_PROVIDER.kind,
  metadata: { name: 'prometheus' },
  spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: {} },
}

/** The lines of the answer about the analysis. */
async function answerTo(installed: Partial<ValidatorDeps>, analysis: AnalysisSpec = {}, before?: AnalysisSpec) {
  const { kube } = aReader([aDeployment(), aService(), PROVIDER])
  const review = validator({ ...validatorDeps(kube, SCHEMA), ...installed })
  const oldObject = before && { oldObject: anExperiment({ analysis: before }) }
  const lines = linesOf(await review(aRequest({ object: anExperiment({ analysis }), ...oldObject })))
  return lines.filter((line) => /analysis/i.test(line))
}

describe('the decision on an experiment with an analysis', () => {
  const installed = { isAnalysisInstalled: true }
  const of = (provider: string, matchers: readonly string[]): AnalysisSpec => ({
    metrics: [{ name: 'a', kind: 'Latency', provider, prometheus: { histogram: 'h', matchers } }],
  })

  it('refuses it without the component', async () => {
    for (const none of [{}, { isAnalysisInstalled: false, isGateInstalled: true }])
      expect((await answerTo(none)).join()).to.include(
        'spec.analysis: this installation has no component "analysis"; remove it, or ask an administrator',
      )
  })

  it('admits it with the component', async () => {
    expect(await answerTo(installed)).to.deep.equal([])
    expect(await answerTo(installed, of('prometheus', ['route="/cart"']))).to.deep.equal([])
  })

  it('refuses what is wrong in it, at its field', async () =>
    expect((await answerTo(installed, of('prometheus', ['pod="x"']))).join()).to.include(
      'spec.analysis.metrics[0].prometheus.matchers[0]: the label pod is always set by the query itself; remove it',
    ))

  it('does not refuse an update for what was wrong before', async () =>
    expect(await answerTo(installed, of('prometheus', ['pod="x"']), of('prometheus', ['pod="x"']))).to.deep.equal([]))

  it('warns of a provider that is not there, because the order must not matter', async () =>
    expect(await answerTo(installed, of('later', []))).to.deep.equal([
      '[AnalysisNotReady] there is no experimentanalysisprovider/later yet',
    ]))

  it('lets policies judge the providers that it asks', async () => {
    const policies: ValidatorDeps['policies'] = {
      policies: () => [aPolicy({ allowedProviders: ['other'] })],
      namespace: async (name) => ({ name, labels: {} }),
      isExcluded: () => false,
    }
    expect((await answerTo({ ...installed, policies }, of('prometheus', []))).join()).to.include(
      'spec.analysis.metrics[0].provider: provider "prometheus" is not allowed; use other (policy "limits")',
    )
  })
})
