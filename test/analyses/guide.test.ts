import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { METRIC_KINDS } from '../../common/api/analysis/metric.ts'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Simulation, simulate, whyNoSimulation } from '../../sandbox/simulation.ts'
import { Page, wordsOf } from '../integration/document.ts'
import { DEADLINE_MS, hasEndpoints } from '../integration/product.ts'
import { usesAnalyses } from './analyses.ts'

const PAGE = new Page('analysis.md')
/** The experiment whose verdict depends on real requests. */
const NEEDS_METRICS = 'slow-cart'

describe('the guide to analyses, in a cluster with the component', () => {
  let folder = ''
  let simulation: Simulation | undefined
  after('its requests and its files are gone', async () => {
    await simulation?.end()
    await rm(folder, { recursive: true })
  })
  const { plane, place } = usesAnalyses() // its control plane ends after the requests
  before('its files, its source, a provider and the templates', async function () {
    this.timeout(180_000) // the waits in it end earlier, with an error that names the reason
    folder = await mkdtemp(join(tmpdir(), 'analysis-'))
    await PAGE.writeFiles(folder)
    await plane().api.delete(resourcePath(ANALYSIS_PROVIDER, { name: 'plugin' }))
    const impossible = await whyNoSimulation({ prometheus: true })
    if (impossible === undefined) {
      simulation = await simulate(plane(), { product: true, prometheus: true, say: (line) => console.error(line) })
      return
    }
    console.error(`no real metrics here: ${impossible}`)
    const { apiVersion, kind } = ANALYSIS_PROVIDER
    const spec = { type: 'Prometheus', address: 'https://prometheus.monitoring.svc:9090', namespaceSelector: {} }
    const metadata = { name: 'prometheus' }
    await plane().api.create(resourcePath(ANALYSIS_PROVIDER), { apiVersion, kind, metadata, spec })
    const { code, stderr } = await plane().kubectl(['apply', '-k', 'manifests/analysis-templates'])
    expect(code, stderr).to.equal(0)
  })

  for (const step of PAGE.steps())
    it(`runs ${step.command}`, async function () {
      if (simulation === undefined && step.command.includes(NEEDS_METRICS)) return this.skip()
      this.timeout(20 * DEADLINE_MS) // some commands wait for up to ten minutes
      const [program, ...args] = wordsOf(step.command).map((word) =>
        /^[\w-]+\.yaml$/.test(word) ? join(folder, word) : word,
      )
      expect(program).to.equal('kubectl')
      const once = async () => {
        const { code, text } = await place().kubectl(args)
        PAGE.expectOutput(step, text)
        expect(code !== 0, text).to.equal(step.isRefused)
      }
      await (/^kubectl get/.test(step.command) ? eventually('the output', DEADLINE_MS, once) : once())
      if (step.command.startsWith('kubectl rollout status')) await hasEndpoints(place(), 'cart', 10)
    })

  it('lists every kind of metric, and has no code that is not run', () => {
    const listed = [...PAGE.text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/\w+/g)].map(([word]) => word),
    )
    expect(listed).to.include.members([...METRIC_KINDS])
    expect([...new Set(PAGE.languages())].sort()).to.deep.equal(['console', 'sh', 'yaml'])
    expect(PAGE.blocks('sh')).to.have.lengthOf(2) // test/analyses/analysis.test.ts runs them
  })
})
