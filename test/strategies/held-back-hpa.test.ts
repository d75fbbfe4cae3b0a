import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, GATE } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { DEADLINE_MS, placeAt } from '../integration/product.ts'
import { autoscaledIn, TARGET } from './autoscaled.ts'
import { POD_METRICS } from './pod-metrics.ts'

const SIZE = 4
const TOLD =
  'Warning: [HeldBackHPA] hpa/cart takes pods that are shut for idle ones, so it scales the source up too late; ' +
  'keep the fork small until its pods are opened'
/** The whole wait for an experiment, for its pods and for several answers of an HPA. */
const TIMEOUT_MS = 240_000

describe('an HPA on a source, on the real control plane', () => {
  const plane = usesOwnControlPlane(async () => [...(await crds()), POD_METRICS])
  before('there is a namespace', () => plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } }))
  const { workload, open, autoscaler, settles } = autoscaledIn(() => plane().api, 'shop')

  it('beside 4 pods that are shut does not scale the source at 75% and 90%, and too little at 125%', async () => {
    await workload('held', 'source', SIZE)
    await workload('held', 'shut', SIZE, [GATE])
    await autoscaler('held')
    expect(await settles('held', SIZE * TARGET)).to.equal(SIZE)
    expect(await settles('held', SIZE * 75)).to.equal(SIZE)
    expect(await settles('held', SIZE * 90)).to.equal(SIZE)
    // The load needs 10 pods. At first an HPA may double the source, and then it is held back again.
    expect(await settles('held', SIZE * 125)).to.equal(2 * SIZE)
  })

  it('by memory scales the source at 75% beside pods that are shut: it counts them as they are', async () => {
    await workload('memory', 'source', SIZE)
    await workload('memory', 'shut', SIZE, [GATE])
    await autoscaler('memory', 'memory')
    expect(await settles('memory', SIZE * 75, 'memory')).to.equal(6)
  })

  it('without such pods scales the source at 75%', async () => {
    await workload('free', 'source', SIZE)
    await autoscaler('free')
    expect(await settles('free', SIZE * TARGET)).to.equal(SIZE)
    expect(await settles('free', SIZE * 75)).to.equal(6)
  })

  for (const [from, size] of [
    ['below', 1],
    ['above', 8],
  ] as const)
    it(`beside 2 pods that are open gives the source what the whole load needs, from ${from}`, async () => {
      const app = `from-${from}`
      await workload(app, 'source', size)
      await workload(app, 'open', 2, [GATE])
      await open(app, 'open')
      await autoscaler(app)
      // 3.4 times the target: with 3 pods, or with 4, the average is further from it than an HPA tolerates
      expect(await settles(app, 170)).to.equal(4)
    })

  it('leaves the source as it is while the average over both sides is on target', async () => {
    await workload('even', 'source', 6)
    await workload('even', 'open', 2, [GATE])
    await open('even', 'open')
    await autoscaler('even')
    expect(await settles('even', 8 * TARGET)).to.equal(6)
  })

  describe('beside experiments', () => {
    before('the product runs, and finds sources with an HPA', async function () {
      this.timeout(TIMEOUT_MS)
      for (const app of ['cart', 'green']) {
        await workload(app, 'source', SIZE)
        await autoscaler(app)
      }
      await install(plane(), { overlay: WITH_CUT_OVER })
    })

    it('is told at apply, and held back by a gated experiment while that exists', async function () {
      this.timeout(TIMEOUT_MS)
      const place = placeAt(plane().api, plane().kubectl, 'shop')
      const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
      const spec = {
        sourceRef: { kind: 'Deployment', name: 'cart-source' },
        replicas: SIZE,
        overrideSpec: {},
        traffic: { mode: 'Gated' },
        strategy: { canary: { steps: [{ pause: {} }, { setWeight: 50 }] } },
      }
      const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: 'cart' }, spec })
      const { text } = await place.kubectl(['apply', '-f', '-'], manifest)
      expect(text.split('\n')).to.include(TOLD)
      expect(text).not.to.contain('CountedByHPA')
      const { status } = await place.reaches('cart', 'Available')
      expect(status?.pods).to.equal(`${SIZE}/${SIZE}`)
      expect(status?.warnings?.map(({ reason }) => reason)).to.include('HeldBackHPA')
      expect(await settles('cart', SIZE * TARGET)).to.equal(SIZE)
      expect(await settles('cart', SIZE * 75)).to.equal(SIZE)
      expect((await place.kubectl(['delete', 'expd/cart'])).code).to.equal(0)
      // The HPA may compute once more before it knows that the pods are gone.
      await eventually('the HPA to be free', DEADLINE_MS, async () =>
        expect(await settles('cart', SIZE * 75)).to.equal(6),
      )
    })

    it('scales a source beside the preview of a blue-green, which has a tenth of its pods', async function () {
      this.timeout(TIMEOUT_MS)
      const place = placeAt(plane().api, plane().kubectl, 'shop')
      for (const name of ['green', 'green-preview'])
        await plane().api.create(place.path('services'), {
          metadata: { name },
          spec: { selector: { app: 'green' }, ports: [{ port: 80 }] },
        })
      const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
      const spec = {
        sourceRef: { kind: 'Deployment', name: 'green-source' },
        overrideSpec: {},
        strategy: { blueGreen: { activeService: 'green', previewService: 'green-preview' } },
      }
      const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: 'green' }, spec })
      const { text } = await place.kubectl(['apply', '-f', '-'], manifest)
      expect(text).to.contain('[HeldBackHPA] hpa/green')
      expect(text).to.contain(`[Plan] steps: 1 pod without requests; service/green-preview sends to them; `)
      const { status } = await place.shows('green', '2/10 Paused', (of) => of.status?.strategy?.step === '2/10 Paused')
      expect(status?.pods).to.equal('1/1')
      expect(await settles('green', SIZE * TARGET)).to.equal(SIZE)
      // Beside four shut pods it stays at 4: the first test
      expect(await settles('green', SIZE * 75)).to.equal(6)
      expect((await place.experimentAt('green')).status?.pods).to.equal('1/1')
    })
  })
})
