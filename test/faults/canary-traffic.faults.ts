import { expect } from 'chai'
import { at, type JsonObject } from '../../common/json/json.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { experimentAddresses, sidesOf } from '../../sandbox/traffic/sides.ts'
import { imageOverride } from '../builders.ts'
import { usesControlPlane } from '../integration/fixture.ts'
import { hasEndpoints, imagesOf, usesProduct } from '../integration/product.ts'
import { usesTraffic } from './asked.ts'
import { oneByOne } from './side-by-side.ts'

/** For a share. By chance, one in 16,000 deviates more than these sigmas. */
const [SAMPLE, SIGMAS] = [4_000, 4]
const REPLICAS = 4
const [FORMER, PROMOTED] = ['registry.example/cart:1', 'registry.example/cart:2']

describe('requests while a canary goes its way, on the real control plane', function () {
  this.timeout(600_000)
  const plane = usesControlPlane()
  const place = usesProduct(WITH_PROMOTION)
  const { ask, serves, moves, synced } = usesTraffic(place)

  /** Creates a source with four pods, and a Service. */
  async function aSource(name: string, kind: 'deployments' | 'statefulSets', spec: JsonObject = {}) {
    const { api, path } = place()
    const labels = { app: name }
    await api.create(path('services'), { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } })
    const pod = { containers: [{ name: 'cart', image: FORMER }] }
    const template = { metadata: { labels }, spec: pod }
    await api.create(path(kind), {
      metadata: { name },
      spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template, ...spec },
    })
    await hasEndpoints(place(), name, REPLICAS)
    await serves(name, REPLICAS)
  }

  /** The share of the requests is that of the endpoints, which the status tells. */
  async function hasShare(source: string, pods: number): Promise<void> {
    const all = REPLICAS + pods
    await serves(source, all)
    await synced()
    const addresses = await experimentAddresses(plane().api, place().namespace, `app=${source}`)
    const found = await place().shows(source, 'its share', ({ status }) => {
      const [service] = status?.services ?? []
      return service?.experimentEndpoints === pods && service.readyEndpoints === all
    })
    const p = pods / all
    expect(found.status?.strategy?.weight?.actual).to.equal(Math.round(100 * p))
    const { experiment, failed } = sidesOf(await ask(source, SAMPLE), addresses)
    expect(failed).to.equal(0)
    const sigma = Math.sqrt(SAMPLE * p * (1 - p))
    expect(experiment, `requests to ${pods} of ${all} pods`).to.be.closeTo(SAMPLE * p, SIGMAS * sigma)
  }

  const PAUSE = { pause: {} }
  const canary = (source: string, kind: string, weights: readonly number[], scaleDownDelaySeconds = 1) =>
    place().experiment(source, {
      source,
      kind,
      overrideSpec: imageOverride(PROMOTED),
      strategy: { canary: { steps: weights.flatMap((setWeight) => [{ setWeight }, PAUSE]), scaleDownDelaySeconds } },
    })
  const isAt = (source: string, step: string) =>
    place().shows(source, step, ({ status }) => status?.strategy?.step === step)

  oneByOne('F35: each step of a canary, up and down, loses no request and has the share of its status', async () => {
    await aSource('stepped', 'deployments')
    await canary('stepped', 'Deployment', [20, 50, 20, 0])
    await isAt('stepped', '1/11 Paused')
    await hasShare('stepped', 1)
    await moves('stepped', 'resume step=2', '3/11 Paused')
    await hasShare('stepped', 4)
    await moves('stepped', 'resume step=4', '5/11 Paused')
    await hasShare('stepped', 1)
    await moves('stepped', 'resume step=6', '7/11 Paused')
    await hasShare('stepped', 0)
  })

  oneByOne('F35: an abort loses no request', async () => {
    await aSource('aborted', 'deployments')
    await canary('aborted', 'Deployment', [50])
    await isAt('aborted', '1/5 Paused')
    await hasShare('aborted', 4)
    await moves('aborted', 'abort', '1/1 Aborted')
    await serves('aborted', REPLICAS)
  })

  /** A source, and how long its fork is kept after the promotion. */
  interface Promotable {
    readonly kind: 'Deployment' | 'StatefulSet'
    readonly spec?: JsonObject
    /** where the promotion ends, and from where it is undone */
    readonly end?: string
  }
  const PROMOTABLE: Readonly<Record<string, Promotable>> = {
    rolling: { kind: 'Deployment' },
    'rolling-by-half': {
      kind: 'Deployment',
      spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%', maxSurge: 0 } } },
    },
    // afterwards its fork is gone, and nothing serves while its own strategy replaces all pods at once
    recreate: { kind: 'Deployment', spec: { strategy: { type: 'Recreate' } }, end: '4/5 Progressing' },
    ordered: { kind: 'StatefulSet', spec: { serviceName: 'ordered' } },
  }
  for (const [name, { kind, spec = {}, end = '5/5 Promoted' }] of Object.entries(PROMOTABLE))
    oneByOne(`F35: the promotion of a ${kind}, ${name}, and its undo lose no request`, async () => {
      const resource = kind === 'Deployment' ? 'deployments' : 'statefulSets'
      const { api, path } = place()
      const source = async () => api.get(path(resource, name))
      await aSource(name, resource, spec)
      await canary(name, kind, [20], end.endsWith('Promoted') ? 1 : 3_600)
      await isAt(name, '1/5 Paused')
      await serves(name, REPLICAS + 1)
      await moves(name, 'promote', end)
      expect(imagesOf(await source())).to.deep.equal([PROMOTED])
      expect(at(await source(), 'status', 'availableReplicas')).to.equal(REPLICAS)
      await moves(name, 'undo', '2/2 Undone')
      expect(imagesOf(await source())).to.deep.equal([FORMER])
      await serves(name, REPLICAS)
    })
})
