import { expect } from 'chai'
import type { AnalysisSpec } from '../../common/api/analysis/analysis.ts'
import { ANALYSIS_PROVIDER, CLUSTER_ANALYSIS_TEMPLATE } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, aPolicy, installing } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const SCHEMA = deploymentSchema()

const PROVIDER = {
  apiVersion: ANALYSIS_PROVIDER.apiVersion,
  kind: ANALYSIS_PROVIDER.kind,
  metadata: { name: 'prometheus' },
  spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: {} },
}

/** As the shipped one: a Health beside what is asked of a provider. */
const TEMPLATE = {
  apiVersion: CLUSTER_ANALYSIS_TEMPLATE.apiVersion,
  kind: CLUSTER_ANALYSIS_TEMPLATE.kind,
  metadata: { name: 'http' },
  spec: {
    metrics: [
      { name: 'latency', kind: 'Latency', provider: 'prometheus', prometheus: { histogram: 'h' } },
      { name: 'health', kind: 'Health', provider: 'kubernetes' },
    ],
  },
}

/** The lines of the answer about the analysis. */
async function answerTo(installed: Partial<ValidatorDeps>, analysis: AnalysisSpec = {}, before?: AnalysisSpec) {
  return answer(installed, anExperiment({ analysis }), before && anExperiment({ analysis: before }))
}

async function answer(installed: Partial<ValidatorDeps>, object: ExperimentDeployment, before?: ExperimentDeployment) {
  const { kube } = aReader([aDeployment(), aService(), PROVIDER, TEMPLATE])
  const review = validator({ ...validatorDeps(kube, SCHEMA), ...installed })
  const lines = linesOf(await review(aRequest({ object, ...(before && { oldObject: before }) })))
  return lines.filter((line) => /analysis/i.test(line))
}

describe('the decision on an experiment with an analysis', () => {
  const installed = { installed: installing('analysis') }
  const of = (provider: string, matchers: readonly string[]): AnalysisSpec => ({
    metrics: [{ name: 'a', kind: 'Latency', provider, prometheus: { histogram: 'h', matchers } }],
  })

  it('refuses it without the component', async () => {
    for (const none of [{}, { installed: installing('gate') }])
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

  describe('of which the author needs a Pass', () => {
    const SHORT: AnalysisSpec = { templates: [{ name: 'http', scope: 'Cluster' }], maxSeconds: 240 }
    const TEXT =
      'health takes 300s without a restart, so it can never pass within maxSeconds (240); set maxSeconds to 300 or more'
    const ofShort = (of: Parameters<typeof anExperiment>[0] = {}) => anExperiment({ analysis: SHORT, ...of })
    const REFUSED = `spec.analysis.maxSeconds: ${TEXT}, or onTimeout to Keep`

    it('N14: refuses one that cannot pass, also by a metric of a template', async () => {
      expect((await answerTo(installed, SHORT)).join()).to.include(REFUSED)
      const known = await answerTo(installed, { ...SHORT, maxSeconds: 300 })
      expect(known.filter((line) => /never pass/.test(line))).to.deep.equal([])
    })

    it('N14: warns of one that does not have to pass', async () => {
      const lines = await answerTo(installed, { ...SHORT, onTimeout: 'Keep' })
      expect(lines).to.include(`[AnalysisTooShort] ${TEXT}`)
    })

    it('N14: refuses only a change of the analysis, of the steps or of ttlSeconds', async () => {
      const isRefused = async (of: Parameters<typeof anExperiment>[0], before = ofShort()) => {
        const lines = await answer(installed, ofShort(of), before)
        expect(lines.join('\n'), 'told in any case').to.include(TEXT)
        return lines.join().includes(REFUSED) || lines.join().includes('spec.analysis.maxSeconds')
      }
      const canary = (setWeight: number) => ({ strategy: { canary: { steps: [{ setWeight }] } } })
      expect(await isRefused({ replicas: 3 })).to.equal(false)
      expect(await isRefused({ ttlSeconds: 86_400 })).to.equal(true)
      expect(await isRefused({ analysis: { ...SHORT, attempt: 2 } })).to.equal(true)
      expect(await isRefused(canary(20), ofShort(canary(10)))).to.equal(true)
      expect(await isRefused(canary(10), ofShort(canary(10)))).to.equal(false)
    })
  })
})
