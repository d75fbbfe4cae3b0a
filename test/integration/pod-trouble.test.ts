import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aRollout, usesArgoRollouts } from './argo.ts'
import { aNamespace } from './fixture.ts'
import { aSource, condition, DEADLINE_MS, type Place, placeIn, usesProduct } from './product.ts'

/** How soon the message of Ready names the cause, after the pod failed. */
const TOLD_MS = 80_000

const behaving = (behavior: string): JsonObject => ({
  template: { metadata: { annotations: { 'sandbox.experiment-controller.example.com/behavior': behavior } } },
})
const container = (more: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'cart', ...more }] } },
})
const IMAGE = 'registry.example/cart:broken'

/** What makes a pod fail, and what is told of it. */
const CAUSES: Readonly<Record<string, readonly [JsonObject, RegExp]>> = {
  image: [imageOverride(IMAGE), /: Failed: Failed to pull image "registry\.example\/cart:broken": not found$/],
  crash: [behaving('crash-loop'), /: BackOff: Back-off restarting failed container cart in pod \S+$/],
  config: [behaving('missing-config'), /: Failed: Error: configmap "settings" not found$/],
  large: [
    container({ image: 'registry.example/cart:1', resources: { requests: { cpu: '9000' } } }),
    /: FailedScheduling: 0\/3 nodes are available: 3 Insufficient cpu\./,
  ],
}

describe('a fork whose pods do not become ready, on the real control plane', () => {
  const place = usesProduct()
  usesArgoRollouts()

  const messageOf = async (name: string): Promise<string> => {
    const path = `jsonpath={.status.conditions[?(@.type=="Ready")].message}`
    return (await place().kubectl(['get', 'expd', name, '-o', path])).text
  }

  async function tell(kind: string, source: string, of?: string): Promise<void> {
    const names = Object.keys(CAUSES).map((cause) => `${kind.toLowerCase()}-${of ? 'far-' : ''}${cause}`)
    for (const [index, [overrideSpec]] of Object.values(CAUSES).entries())
      await place().experiment(names[index] ?? '', { kind, source, overrideSpec, ...(of ? { of } : {}) })
    for (const [index, [, told]] of Object.values(CAUSES).entries()) {
      const name = names[index] ?? ''
      await eventually(`the cause in the message of ${name}`, TOLD_MS, async () => {
        const ready = condition(await place().experimentAt(name), 'Ready')
        expect(ready).to.deep.include({ status: 'False', reason: 'PodsNotReady' })
        expect(ready?.message).to.match(told)
      })
      expect(await messageOf(name))
        .to.match(/^0 of 1 pods [^;]+; pod\/\S+: /)
        .and.to.match(told)
    }
  }

  async function aStatefulSet({ api, path }: Place, name: string): Promise<void> {
    const labels = { app: name }
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    }
    await api.create(path('statefulSets'), {
      metadata: { name },
      spec: { replicas: 1, serviceName: name, selector: { matchLabels: labels }, template },
    })
  }

  it('N48: says why, for a Deployment', async () => {
    await aSource(place(), 'cart')
    await tell('Deployment', 'cart')
  })

  it('N48: says why, for a StatefulSet', async () => {
    await aStatefulSet(place(), 'store')
    await tell('StatefulSet', 'store')
  })

  it('N48: says why, for a Rollout', async () => {
    await aRollout(place(), 'front')
    await tell('Rollout', 'front')
  })

  it('N48: says why, for a source in another namespace', async () => {
    const shop = await placeIn(await aNamespace())
    const policies = resourcePath(EXPERIMENT_POLICY)
    const name = `shared-${shop.namespace}`
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': shop.namespace } }
    await place().api.create(policies, {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name },
      spec: { namespaceSelector, allowSourcesFrom: [place().namespace] },
    })
    try {
      await aSource(shop, 'cart')
      await eventually('consent to be seen', DEADLINE_MS, () =>
        place().experiment('consented', { source: 'cart', of: shop.namespace }),
      )
      await tell('Deployment', 'cart', shop.namespace)
    } finally {
      await place().api.delete(`${policies}/${name}`)
    }
  })

  it('N48: says it no longer when the cause is gone', async () => {
    await place().api.patch(place().path('experiments', 'deployment-image'), {
      spec: { overrideSpec: imageOverride('registry.example/cart:2') },
    })
    await place().reaches('deployment-image', 'Available')
    expect(await messageOf('deployment-image')).to.equal('1 of 1 pods available')
  })
})
