import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import {
  ANALYSIS_PROVIDER,
  ANALYSIS_TEMPLATE,
  CLUSTER_ANALYSIS_TEMPLATE,
  SOURCE_ID,
} from '../../../common/api/names.ts'
import type { KubeObject, ResourceType } from '../../../common/api/object.ts'
import { sourceId } from '../../../common/workload/identity.ts'
import { readAnalysis } from '../../../webhook/reads/analysis.ts'
import { anExperiment } from '../../builders.ts'
import { aReader, failing } from '../../fakes/reader.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const TEMPLATES = `${GROUP}/namespaces/shop/experimentanalysistemplates`
const CLUSTER_TEMPLATES = `${GROUP}/clusterexperimentanalysistemplates`
const PROVIDERS = `${GROUP}/experimentanalysisproviders`
const RUNS = `${GROUP}/namespaces/shop/experimentanalysisruns`

const METRIC = { name: 'health', kind: 'Health', provider: 'kubernetes' }
const PROMETHEUS = { type: 'Prometheus', address: 'https://a', namespaceSelector: {} }
const of = ({ apiVersion, kind }: ResourceType, name: string, spec: object, namespace?: string): KubeObject => ({
  ...{ apiVersion, kind, spec },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
})

const WORLD = [
  of(ANALYSIS_TEMPLATE, 'http', { metrics: [METRIC] }, 'shop'),
  of(ANALYSIS_TEMPLATE, 'other', { metrics: [METRIC] }, 'till'),
  of(ANALYSIS_TEMPLATE, 'broken', { metrics: [] }, 'shop'),
  of(CLUSTER_ANALYSIS_TEMPLATE, 'http', { metrics: [METRIC] }),
  of(ANALYSIS_PROVIDER, 'prometheus', PROMETHEUS),
  of(ANALYSIS_PROVIDER, 'broken', { ...PROMETHEUS, type: 'Graphite' }),
]

const ROW = ['cart-experiment-1-2', 20, 0.5, '2026-11-21T10:00:00Z']
/** As the API server answers for runs. */
const table = (...rows: readonly (typeof ROW)[]) => ({
  kind: 'Table',
  columnDefinitions: ['Name', 'Rate', 'Spread', 'Started'].map((name) => ({ name })),
  rows: rows.map((cells) => ({ cells })),
})

const namespace = async (name: string) => ({ name, labels: { team: 'shop' } })

async function read(analysis: object | undefined, instead: Readonly<Record<string, () => unknown>> = {}) {
  const reader = aReader(WORLD, { instead })
  const { signal } = new AbortController()
  const scope = { kube: reader.kube, policies: { namespace }, signal }
  const facts = await readAnalysis(scope, anExperiment(analysis ? { analysis } : {}))
  return { facts, paths: reader.asked, requests: reader.requests }
}

describe('what a review reads for an analysis', () => {
  it('is nothing without one', async () =>
    expect(await read(undefined)).to.deep.equal({ facts: undefined, paths: [], requests: [] }))

  it('is templates, providers, runs and the labels of the namespace', async () => {
    const { facts, paths } = await read({})
    expect(paths.toSorted()).to.deep.equal([CLUSTER_TEMPLATES, PROVIDERS, RUNS, TEMPLATES].toSorted())
    expect(facts?.namespace).to.deep.equal({ name: 'shop', labels: { team: 'shop' } })
    expect(facts?.templates).to.deep.equal(
      known(
        new Map<string, unknown>([
          ['http', known({ metadata: { name: 'http', namespace: 'shop' }, spec: { metrics: [METRIC] } })],
          ['broken', unknown('spec.metrics: must be a list of 1 to 8 items')],
        ]),
      ),
    )
    expect(facts?.clusterTemplates).to.deep.equal(
      known(new Map([['http', known({ metadata: { name: 'http' }, spec: { metrics: [METRIC] } })]])),
    )
    expect(facts?.providers).to.deep.equal(
      known(
        new Map<string, unknown>([
          ['prometheus', known({ metadata: { name: 'prometheus' }, spec: PROMETHEUS })],
          ['broken', unknown('spec.type: must be Prometheus or NewRelic or Web or Plugin')],
        ]),
      ),
    )
  })

  it('is unknown where it cannot be read', async () => {
    const { facts } = await read({}, { [TEMPLATES]: failing('unreachable'), [PROVIDERS]: failing('forbidden') })
    expect([facts?.templates, facts?.providers]).to.deep.equal([
      unknown('not read in time'),
      unknown('not read in time'),
    ])
    expect(facts?.clusterTemplates.is).to.equal('known')
  })

  it('is the traffic of the source, from rows instead of whole runs', async () => {
    const { facts, requests } = await read({}, { [RUNS]: () => table(ROW) })
    expect(facts?.traffic).to.deep.equal({ requestsPerSecond: 20, spread: 0.5 })
    const asked = requests.find(({ path }) => path === RUNS)
    expect(asked?.accept).to.contain('as=Table')
    expect(asked?.query).to.deep.equal({
      ...{ includeObject: 'None', resourceVersion: '0', labelSelector: `${SOURCE_ID}=${sourceId(anExperiment())}` },
    })
  })

  it('is without traffic where no run knows it, or none can be read', async () => {
    for (const answer of [() => table(), failing('forbidden'), failing('unreachable')])
      expect((await read({}, { [RUNS]: answer })).facts).to.have.property('traffic', undefined)
    const { facts } = await read({}, { [RUNS]: failing('notFound') })
    expect(facts?.templates.is).to.equal('known')
  })
})
