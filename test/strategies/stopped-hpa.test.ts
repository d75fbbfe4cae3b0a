import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { placeAt } from '../integration/product.ts'
import { autoscaledIn, TARGET } from './autoscaled.ts'
import { POD_METRICS } from './pod-metrics.ts'

/** The whole wait for an experiment, and for several answers of an HPA. */
const TIMEOUT_MS = 240_000
/** What two pods need, whether or not a third one helps. */
const LOAD = 2 * TARGET
const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT

describe('an HPA on a source that an experiment stops, on the real control plane', () => {
  const plane = usesOwnControlPlane(async () => [...(await crds()), POD_METRICS])
  const { workload, autoscaler, says } = autoscaledIn(() => plane().api, 'shop')
  const place = () => placeAt(plane().api, plane().kubectl, 'shop')

  before('the product runs, and finds a source with an HPA', async function () {
    this.timeout(TIMEOUT_MS)
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await workload('cart', 'source', 2)
    await autoscaler('cart')
    await autoscaler('second', 'cpu', { apiVersion, kind, name: 'second' })
    await install(plane())
  })

  /** Applies the experiment `name` on `cart-source`, and waits for its pod. Returns what kubectl printed. */
  async function applied(name: string, overrideSpec: JsonObject): Promise<string> {
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart-source' }, overrideSpec }
    const manifest = JSON.stringify({ apiVersion, kind, metadata: { name }, spec })
    const { text } = await place().kubectl(['apply', '-f', '-'], manifest)
    await place().reaches(name, 'Available')
    return text
  }

  it('scales no more while a pod of the experiment lacks the request, which is told at apply', async function () {
    this.timeout(TIMEOUT_MS)
    await says('cart', LOAD, 'ValidMetricFound')
    const containers = [{ name: 'app', image: 'registry.example/app:2' }]
    const text = await applied('bare', { template: { spec: { containers } } })
    expect(text).to.contain(
      '[BreaksHPA] hpa/cart stops scaling the source: the fork lacks resources.requests.cpu of container app',
    )
    expect(await says('cart', LOAD, 'FailedGetResourceMetric')).to.contain(
      'missing request for cpu in container app of Pod',
    )
    expect(await applied('bare', {})).to.contain('[CountedByHPA]')
    await says('cart', LOAD, 'ValidMetricFound')
    expect((await place().kubectl(['delete', 'expd/bare'])).code).to.equal(0)
  })

  it('scales no more while another HPA scales the experiment, which is told at apply', async function () {
    this.timeout(TIMEOUT_MS)
    await says('cart', LOAD, 'ValidMetricFound')
    const text = await applied('second', {})
    expect(text).to.contain(
      '[AmbiguousHPA] hpa/cart stops scaling the source while hpa/second selects pods of the fork, too; keep only hpa/cart',
    )
    expect(await says('cart', LOAD, 'AmbiguousSelector')).to.contain('are controlled by multiple HPAs')
    const { status } = await place().shows('second', 'the warning', (of) =>
      (of.status?.warnings ?? []).some(({ reason }) => reason === 'AmbiguousHPA'),
    )
    expect(status?.warnings?.map(({ reason }) => reason)).not.to.include('CountedByHPA')
    await plane().api.delete(resourcePath(RESOURCES.HorizontalPodAutoscaler, { namespace: 'shop', name: 'second' }))
    await says('cart', LOAD, 'ValidMetricFound')
  })
})
