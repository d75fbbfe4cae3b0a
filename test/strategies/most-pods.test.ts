import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { RESOURCES as KUBE, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, placeAt } from '../integration/product.ts'
import { ALL_KINDS, gatedForksIn, KINDS, type Kind, usesAllKinds } from './gated-forks.ts'

const SIZE = 4
/** Of four pods, or of two, 25% are one. A StatefulSet has none. */
const SURGE: Readonly<Record<Kind, number>> = { Deployment: 1, StatefulSet: 0, Rollout: 1 }
const NEVER_READY = { 'sandbox.experiment-controller.example.com/behavior': 'never-ready' }

/** Three kinds at once. */
const TIMEOUT_MS = 240_000

interface Case {
  readonly spec: JsonObject
  /** where the run waits */
  readonly step?: string
  /** of the fork */
  readonly pods: number
  /** whether nobody can see the surge of the fork: pods that get no requests are updated without one */
  readonly isShut?: true
}

const CASES: Readonly<Record<string, Case>> = {
  'a plain experiment': { spec: { replicas: 2 }, pods: 2 },
  'a canary': {
    spec: { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } },
    step: '1/5 Paused',
    pods: SIZE,
  },
  'a blue-green': {
    spec: { strategy: { blueGreen: { activeService: 'cart', autoPromotionEnabled: false } } },
    step: '1/9 Paused',
    pods: SIZE,
    isShut: true,
  },
}

describe('the most pods at one moment, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  usesAllKinds(WITH_CUT_OVER, plane)

  /** A namespace of its own, because a quota counts all pods of one. */
  async function aPlace(namespace: string) {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: namespace } })
    return placeAt(plane().api, plane().kubectl, namespace)
  }

  /** What the plan tells about `cart`: all pods, and what a quota counts. */
  const toldIn = (text: string) => {
    const [, pods, counted = pods] =
      /at most (\d+) pods at one moment(?:.*a quota counts up to (\d+))?/.exec(text) ?? []
    return { pods: Number(pods), counted: Number(counted) }
  }

  async function measure(kind: Kind, namespace: string, { spec, step, pods, isShut }: Case): Promise<void> {
    const place = await aPlace(namespace)
    const [{ aSource }, { shows }] = [gatedForksIn(() => place), canariesIn(() => place)]
    await aSource(kind, 'cart', SIZE)
    const { apiVersion, kind: ofExperiment } = EXPERIMENT_DEPLOYMENT
    const manifest = {
      ...{ apiVersion, kind: ofExperiment, metadata: { name: 'cart' } },
      spec: { sourceRef: { kind, name: 'cart' }, overrideSpec: { minReadySeconds: 1 }, ...spec },
    }
    const { text } = await place.kubectl(['create', '-f', '-'], JSON.stringify(manifest))
    const told = toldIn(text)
    expect(told.pods, text).to.equal(SIZE + SURGE[kind] + pods + SURGE[kind])
    await place.api.create(place.path('quotas'), {
      metadata: { name: 'told' },
      spec: { hard: { pods: String(told.counted) } },
    })
    await place.reaches('cart', 'Available')
    if (step !== undefined) await shows('cart', step)
    // both roll out, and stop with as many pods as they may have
    const template = { metadata: { annotations: NEVER_READY } }
    await place.api.patch(place.path(KINDS[kind], 'cart'), { spec: { template } })
    await place.api.patch(place.path('experiments', 'cart'), { spec: { overrideSpec: { template } } })
    const measured = told.pods - (isShut ? SURGE[kind] : 0)
    await eventually(`${measured} pods`, DEADLINE_MS, async () => {
      const quota = await place.api.get(place.path('quotas', 'told'))
      expect(at(quota.status, 'used', 'pods')).to.equal(String(measured))
    })
    const events = await place.api.list<KubeObject>(resourcePath(KUBE.Event, { namespace }))
    expect(events.filter((event) => String(event.note).includes('exceeded quota'))).to.deep.equal([])
  }

  for (const [title, of] of Object.entries(CASES))
    it(`N17: of ${title} are what the plan told, as a quota counts them`, () =>
      Promise.all(ALL_KINDS.map((kind) => measure(kind, `${title.split(' ').at(-1)}-${kind.toLowerCase()}`, of))).then(
        () => undefined,
      ))
})
