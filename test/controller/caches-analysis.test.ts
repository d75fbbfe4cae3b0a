import { expect } from 'chai'
import { ANALYSIS_RUN } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { createCaches, namedReflectors } from '../../controller/caches.ts'
import { installing } from '../builders.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { diaryLog, VirtualTime } from '../virtual-time.ts'
import { aRun, ERRORS } from './analysis/a-run.ts'
import { noMetrics } from './no-metrics.ts'

const GROUP = '/apis/experimentcontroller.example.com/v1alpha1'
const RUNS = `${GROUP}/namespaces/shop/experimentanalysisruns`
const TEMPLATES = `${GROUP}/namespaces/shop/experimentanalysistemplates`
const CLUSTER_TEMPLATES = `${GROUP}/clusterexperimentanalysistemplates`
const PROVIDERS = `${GROUP}/experimentanalysisproviders`

/** Filled caches of these objects, and what was asked for them. */
async function filled(objects: Readonly<Record<string, KubeObject>>, installed = installing('analysis')) {
  const server = new ObjectStore(objects)
  const caches = createCaches({
    client: server,
    timers: new VirtualTime(),
    random: () => 0,
    log: diaryLog(),
    kindProbeMs: 30_000,
    installed,
    metrics: noMetrics(),
    onlyNamespace: 'shop',
  })
  const reflectors = namedReflectors(caches)
  for (const { reflector } of reflectors) reflector.start()
  await Promise.all(reflectors.map(({ reflector }) => reflector.synced()))
  await Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
  return { server, caches: caches.analysis, names: reflectors.map(({ name }) => name) }
}

const named = (name: string, spec: object, namespace?: string): KubeObject => ({
  apiVersion: ANALYSIS_RUN.apiVersion,
  kind: 'Any',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '10', ...(namespace ? { namespace } : {}) },
  spec: spec as Readonly<Record<string, unknown>>,
})

/** The run as it is stored, with this status. */
const storedRun = (status: object): KubeObject => ({ ...ANALYSIS_RUN, ...aRun(), status }) as unknown as KubeObject

describe('the caches of analyses', () => {
  it('are one for each of their four resources, by its name', async () => {
    const { names } = await filled({})
    expect(names.filter((name) => name.includes('analysis'))).to.deep.equal([
      'experimentanalysisruns',
      'experimentanalysistemplates',
      'clusterexperimentanalysistemplates',
      'experimentanalysisproviders',
    ])
  })

  it('are none without the component: nothing of it is asked for', async () => {
    const { caches, names, server } = await filled({}, installing())
    expect(caches).to.equal(undefined)
    expect([...names, ...server.requests].filter((name) => name.includes('analysis'))).to.deep.equal([])
  })

  it('ask for runs and templates of the one namespace that is served', async () => {
    const { server } = await filled({})
    expect(server.requests.filter((path) => path.includes('analysis')).toSorted()).to.deep.equal(
      [RUNS, TEMPLATES, CLUSTER_TEMPLATES, PROVIDERS].map((path) => `list ${path}`).toSorted(),
    )
  })

  it('hold runs with their evidence', async () => {
    const run = aRun({ status: { looks: 3 } })
    const { caches } = await filled({ [`${RUNS}/run-1`]: storedRun(run.status ?? {}) })
    expect(caches?.runs.get('shop/run-1')).to.deep.equal(run)
  })

  it('hold a run whose status somebody else wrote as one that has not begun', async () => {
    const { caches } = await filled({ [`${RUNS}/run-1`]: storedRun({ verdict: 'Pass', looks: 'many' }) })
    expect(caches?.runs.get('shop/run-1')).to.deep.equal(aRun())
  })

  it('hold no run that the schema of the CRD would refuse', async () => {
    const { caches } = await filled({ [`${RUNS}/bad`]: named('bad', { metrics: 'all' }, 'shop') })
    expect(caches?.runs.list()).to.deep.equal([])
  })

  it('hold what is malformed as unknown, so that users learn why', async () => {
    const { caches } = await filled({
      [`${TEMPLATES}/good`]: named('good', { metrics: [ERRORS] }, 'shop'),
      [`${TEMPLATES}/bad`]: named('bad', { metrics: [] }, 'shop'),
      [`${CLUSTER_TEMPLATES}/bad`]: named('bad', { metrics: 7 }),
      [`${PROVIDERS}/prom`]: named('prom', { type: 'Prometheus', address: 'http://prom', namespaceSelector: {} }),
      [`${PROVIDERS}/bad`]: named('bad', { type: 'Excel' }),
    })
    expect(caches?.templates.get('shop/good')?.is).to.equal('known')
    expect(caches?.templates.get('shop/bad')?.is).to.equal('unknown')
    expect(caches?.clusterTemplates.get('bad')?.is).to.equal('unknown')
    expect(caches?.providers.list().map(({ name, provider }) => [name, provider.is])).to.deep.equal([
      ['prom', 'known'],
      ['bad', 'unknown'],
    ])
  })
})
