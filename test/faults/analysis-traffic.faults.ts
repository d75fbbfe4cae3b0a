import { expect } from 'chai'
import type { AnalysisSpec } from '../../common/api/analysis/analysis.ts'
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeploymentSpec } from '../../common/api/types.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_ANALYSIS } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { aSource, condition, hasEndpoints, imagesOf, usesProduct } from '../integration/product.ts'
import { usesScrapedPods, type Version } from './scraped.ts'
import { sideBySide } from './side-by-side.ts'

const [SIZE, FORK_SIZE] = [4, 2]
const QUICK = { intervalSeconds: 10, warmUpSeconds: 0 } as const
/** From the first request on. */
const BAD_VERSION_MS = 120_000
/**
 * What has no evidence ends after its own times. An equal version passes after a number of requests, and a busy machine
 * answers fewer.
 */
const GOOD_VERSION_MS = 600_000
const image = (tag: Version) => `registry.example/cart:${tag}`

const latency = (provider = 'scraped', histogram = 'http_request_duration_seconds') =>
  ({ name: 'latency', kind: 'Latency', provider, prometheus: { histogram } }) as const
const errors = (provider = 'scraped') =>
  ({
    name: 'errors',
    kind: 'ErrorRate',
    provider,
    prometheus: { events: 'http_requests_total', eventMatchers: ['code=~"5.."'], total: 'http_requests_total' },
  }) as const

const SLOWER = /latency \+\d+%/

type Ending = { readonly isAsked?: boolean; readonly ready?: 'RolledBack' | 'Available' }

interface Harm {
  /** the one by which it is shown, and what says so */
  readonly metric: string
  readonly evidence: RegExp
  /** of the source; default: that of the version */
  readonly name?: string
  readonly control?: AnalysisSpec['control'] & string
}

describe('an analysis of real requests by a real Prometheus, on the real control plane', function () {
  this.timeout(900_000)
  const place = usesProduct(WITH_ANALYSIS, { ANALYSIS_LOOPBACK: 'allow' })
  const { ask, start, stop } = usesScrapedPods(place)

  /** The objects of a source that nobody but a promotion may write. */
  async function untouched(name: string) {
    const { api, path, deployment } = place()
    const [source, service] = [await deployment(name), await api.get<KubeObject>(path('services', name))]
    return { generation: source.metadata.generation, service: service.metadata.resourceVersion }
  }

  /** A source whose pods answer requests, and an experiment of a version that differs. */
  async function compares(
    name: string,
    version: Version,
    analysis: AnalysisSpec,
    of: Partial<ExperimentDeploymentSpec> = {},
  ) {
    await aSource(place(), name, { replicas: SIZE })
    await hasEndpoints(place(), name, SIZE)
    await place().experiment(name, {
      source: name,
      replicas: FORK_SIZE,
      overrideSpec: imageOverride(image(version)),
      analysis: { ...QUICK, ...analysis },
      ...of,
    })
  }
  const verdictOf = (name: string, withinMs: number) =>
    eventually(`a verdict on ${name}`, withinMs, async () => {
      const experiment = await place().experimentAt(name)
      const analysis = experiment.status?.analysis
      if (condition(experiment, 'AnalysisComplete')?.status !== 'True')
        throw new Error(`${JSON.stringify(analysis)} ${JSON.stringify((await runOf(analysis?.run))?.status)}`)
      return experiment
    })
  const runOf = async (name?: string) =>
    name === undefined
      ? undefined
      : place().api.get<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace: place().namespace, name }))
  const metricOf = (run: KubeObject | undefined, name: string) =>
    listOr(at(run, 'status', 'metrics')).find((metric) => at(metric, 'name') === name)

  async function evidenceFor(name: string): Promise<readonly string[]> {
    const events = await place().api.list<KubeObject>(`/api/v1/namespaces/${place().namespace}/events`)
    return events
      .filter((event) => at(event, 'involvedObject', 'name') === name)
      .map((event) => String(at(event, 'message')))
  }

  /** What the answer to another experiment on this source says about its requests. */
  async function powerOn(name: string): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const analysis = { ...QUICK, metrics: [latency()] }
    const spec = { sourceRef: { kind: 'Deployment', name }, replicas: FORK_SIZE, overrideSpec: {}, analysis }
    const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: `${name}-again` }, spec })
    return (await place().kubectl(['create', '--dry-run=server', '-f', '-'], manifest)).text
  }

  /** A version that does harm has no pods any more in time, and its run and an Event say why. */
  async function harms(
    version: Version,
    { metric, evidence, name = version, control = 'Source' }: Harm,
  ): Promise<void> {
    await compares(name, version, { metrics: [latency(), errors()], control })
    const before = await untouched(name)
    const asking = ask(name)
    const left = () => BAD_VERSION_MS - (performance.now() - asking.fromMs)
    const failed = await verdictOf(name, left())
    await eventually(`${name} to have no pods`, left(), async () => {
      expect((await place().experimentAt(name)).status?.pods).to.equal('0/0')
    })
    const seconds = (performance.now() - asking.fromMs) / 1_000
    console.log(`      ${name}: at 0 replicas ${seconds.toFixed(0)} s after the first request`)
    await asking.end()
    expect(failed.status?.analysis).to.deep.include({ verdict: 'Fail', reason: 'HarmFound' })
    const run = await runOf(failed.status?.analysis?.run)
    expect(metricOf(run, metric)).to.include({ verdict: 'Fail' })
    expect(at(run?.status, 'message')).to.match(evidence)
    expect((await evidenceFor(name)).join('\n')).to.match(evidence)
    expect(await untouched(name)).to.deep.equal(before)
    expect(await powerOn(name)).to.match(
      /analysis: at [1-9][\d.]* requests\/s, of which the fork gets 33%, it can detect slowdowns of \+\d+% or more within 1h/,
    )
  }

  /** An analysis that has no evidence ends so, and never passes. */
  async function endsWithout(name: string, version: Version, analysis: AnalysisSpec, wanted: object, of: Ending = {}) {
    const { isAsked = true, ready = 'RolledBack' } = of
    await compares(name, version, analysis)
    const before = await untouched(name)
    const asking = isAsked ? ask(name) : undefined
    const ended = await verdictOf(name, GOOD_VERSION_MS)
    await asking?.end()
    expect(ended.status?.analysis).to.deep.include(wanted)
    await place().reaches(name, ready)
    expect(await untouched(name)).to.deep.equal(before)
  }

  sideBySide({
    'F45: a version that is 100 % slower has no pods within 120 s': () =>
      harms('slower', { metric: 'latency', evidence: SLOWER }),
    'F45: a version of which 20 % of the answers are errors has no pods within 120 s': () =>
      harms('failing', { metric: 'errors', evidence: /errors \(at least \+\d+%\)/ }),
    'F45: a version that is 100 % slower than its twin has no pods within 120 s': () =>
      harms('slower', { metric: 'latency', evidence: SLOWER, name: 'twinned', control: 'Twin' }),
    'F45: an equal version passes, and is promoted': async () => {
      const canary = { steps: [{ setWeight: 33 }], scaleDownDelaySeconds: 1 }
      await compares(
        'equal',
        'equal',
        { metrics: [latency(), errors()] },
        { strategy: { canary }, promotion: { mode: 'Automatic' } },
      )
      const { service } = await untouched('equal')
      const asking = ask('equal')
      const passed = await verdictOf('equal', GOOD_VERSION_MS)
      console.log(
        `      equal: passed ${((performance.now() - asking.fromMs) / 1_000).toFixed(0)} s after the first request`,
      )
      expect(passed.status?.analysis?.verdict).to.equal('Pass')
      await place().shows('equal', 'its promotion', ({ status }) => status?.strategy?.phase === 'Promoted')
      await asking.end()
      expect(imagesOf(await place().deployment('equal'))).to.deep.equal([image('equal')])
      expect((await untouched('equal')).service).to.equal(service)
    },
    'F45: a version without metrics is no passed one': () =>
      endsWithout(
        'silent',
        'silent',
        { metrics: [latency()], noDataSeconds: 30 },
        { verdict: 'NoData', reason: 'NoTreatmentData' },
      ),
    'F45: a metric of a wrong name (N15) is no passed one, and takes no pods': () =>
      endsWithout(
        'misspelt',
        'equal',
        { metrics: [latency('scraped', 'http_request_duration')], maxSeconds: 40 },
        { verdict: 'NoData', reason: 'NoSeries' },
        { ready: 'Available' },
      ),
    'F45: a version without requests is no passed one': () =>
      endsWithout(
        'idle',
        'equal',
        { metrics: [latency()], maxSeconds: 40 },
        { verdict: 'NoData', reason: 'NoTraffic' },
        { isAsked: false },
      ),
    'F45: NaN is no passed value': () =>
      endsWithout(
        'nan',
        'equal',
        {
          metrics: [
            {
              name: 'part',
              kind: 'Value',
              provider: 'scraped',
              prometheus: { query: 'sum(http_requests_total{pod=~"{{pods}}"}) * 0 / 0' },
            },
          ],
          noDataSeconds: 30,
        },
        { verdict: 'Error', reason: 'ProviderFailed' },
      ),
    'F45: a Prometheus that is away for a while holds an analysis up, and one that stays away ends it': async () => {
      const counts = (windows: number) =>
        eventually(`${windows} windows`, GOOD_VERSION_MS, async () => {
          const run = await runOf((await place().experimentAt('held-up')).status?.analysis?.run)
          const status = run?.status
          const counted = Number(at(status, 'windows', 'counted'))
          if (!(counted >= windows)) throw new Error(JSON.stringify(status))
          return counted
        })
      const shows = (reason: string) =>
        eventually(`${reason} of held-up`, GOOD_VERSION_MS, async () => {
          expect((await place().experimentAt('held-up')).status?.analysis?.reason).to.equal(reason)
        })
      await compares('held-up', 'equal', {
        metrics: [latency('interrupted')],
        minSamples: 1_000_000, // it does not pass
        noDataSeconds: 60,
      })
      const asking = ask('held-up')
      await counts(1)
      await stop('interrupted')
      await shows('ProviderFailed')
      await start('interrupted')
      await shows('Measuring')
      await counts(2 + (await counts(1)))
      await stop('interrupted')
      const ended = await verdictOf('held-up', GOOD_VERSION_MS)
      await asking.end()
      expect(ended.status?.analysis).to.deep.include({ verdict: 'Error', reason: 'ProviderFailed' })
      await place().reaches('held-up', 'RolledBack')
    },
  })
})
