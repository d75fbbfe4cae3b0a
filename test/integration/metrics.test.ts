import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { METRIC_PREFIX } from '../../controller/metrics.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, installation, usesProduct } from './product.ts'

type Series = Readonly<Record<string, number>>

/** What the running controller serves, by the names of series without the prefix. */
async function scraped(): Promise<Series> {
  const { healthPorts } = await installation()
  const text = await (await fetch(`http://127.0.0.1:${healthPorts.controller}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(METRIC_PREFIX))
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(METRIC_PREFIX.length, end), Number(line.slice(end + 1))]
    }),
  )
}

/** The sum of the series of a metric that have all these labels. */
const sumOf = (series: Series, name: string, ...labels: readonly string[]): number =>
  Object.entries(series)
    .filter(([each]) => each.replace(/\{.*/, '') === name && labels.every((label) => each.includes(label)))
    .reduce((sum, [, value]) => sum + value, 0)

const OF_DEPLOYMENTS = 'kind="Deployment"'
const APPLIED = ['verb="apply"', 'resource="deployments"']
const RENEWED = ['verb="update"', 'resource="leases"']
const OF_EXPERIMENTS = `resource="${EXPERIMENT_DEPLOYMENT.plural}"`

/** What rises with each experiment that is created, with a repair of its fork, and with one whose fork is refused. */
const RISING: readonly (readonly string[])[] = [
  ['reconcile_total', OF_DEPLOYMENTS],
  ['reconcile_seconds_count', OF_DEPLOYMENTS],
  ['reconcile_seconds_sum', OF_DEPLOYMENTS],
  ['drift_repairs_total', OF_DEPLOYMENTS],
  ['queue_adds_total'],
  ['queue_wait_seconds_count'],
  ['kube_requests_total', ...APPLIED, 'code="201"'],
  ['kube_requests_total', ...APPLIED, 'code="200"'],
  ['kube_requests_total', ...APPLIED, 'code="422"'],
  ['kube_requests_total', 'verb="apply"', OF_EXPERIMENTS, 'code="200"'],
  ['kube_requests_total', 'verb="create"', 'resource="events"', 'code="201"'],
  ['kube_requests_total', ...RENEWED, 'code="200"'],
  ['kube_request_seconds_count', ...APPLIED],
  ['kube_request_seconds_sum', ...APPLIED],
  ['kube_request_seconds_count', ...RENEWED],
]

/** The labels of the two experiments in the number of experiments. */
const OF_BOTH = [
  [OF_DEPLOYMENTS, 'ready="True"', 'reason="Available"'],
  [OF_DEPLOYMENTS, 'ready="False"', 'reason="ApplyRefused"'],
]

describe('the metrics of a running controller', () => {
  const place = usesProduct()
  let [first, last]: readonly [Series, Series] = [{}, {}]

  before('an experiment is created, its fork is changed by somebody, and another one is refused', async function () {
    this.timeout(4 * DEADLINE_MS)
    first = await scraped()
    await aSource(place(), 'cart')
    await place().experiment('created', { source: 'cart' })
    const fork = forkOf(await place().reaches('created', 'Available'))
    await place().api.patch(place().path('deployments', fork), { spec: { replicas: 3 } })
    await eventually('the repair', DEADLINE_MS, async () =>
      expect((await place().deployment(fork)).spec).to.have.property('replicas', 1),
    )
    // a feature of the cluster decides about this value, so the webhook admits it
    const overrideSpec = { template: { spec: { securityContext: { seLinuxChangePolicy: 'MountOption' } } } }
    await place().experiment('refused', { source: 'cart', overrideSpec })
    await place().reaches('refused', 'ApplyRefused')
    last = await eventually('a renewal of the Lease, and the watch of its own status', DEADLINE_MS, async () => {
      const now = await scraped()
      for (const labels of OF_BOTH) expect(sumOf(now, 'experiments', ...labels), labels.join()).to.be.at.least(1)
      expect(sumOf(now, 'kube_requests_total', ...RENEWED)).to.be.greaterThan(
        sumOf(first, 'kube_requests_total', ...RENEWED),
      )
      return now
    })
  })

  for (const [name = '', ...labels] of RISING)
    it(`rise: ${[name, ...labels].join(' ')}`, () =>
      expect(sumOf(last, name, ...labels)).to.be.greaterThan(sumOf(first, name, ...labels)))

  it('tell what is so at the scrape', () => {
    expect(sumOf(last, 'leader')).to.equal(1)
    expect(sumOf(last, 'lease_age_seconds')).to.be.within(0, 10)
    expect(sumOf(last, 'reflector_synced', OF_EXPERIMENTS)).to.equal(1)
    expect(sumOf(last, 'reflector_objects', OF_EXPERIMENTS)).to.be.at.least(2)
    expect(sumOf(last, 'reflector_event_age_seconds', OF_EXPERIMENTS)).to.be.within(0, 120)
    for (const name of ['paused', 'handler_errors_total', 'events_dropped_total']) {
      expect(last, name).to.have.property(name)
      expect(sumOf(last, name), name).to.equal(0)
    }
  })
})
