import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { SourceSeen } from '../../webhook/look.ts'
import { Scenes } from '../../webhook/scene.ts'
import { aDeployment, aFork, aRollout } from '../builders.ts'
import { VirtualTime } from '../virtual-time.ts'
import { anAsked, inNamespace } from './an-asked.ts'
import { anAutoscaler, aService, aSlice } from './reviews.ts'
import { aStrictReader, failing } from './strict-reader.ts'

interface Given {
  readonly world?: readonly KubeObject[]
  readonly source?: SourceSeen
  readonly instead?: Readonly<Record<string, () => unknown>>
}

const IN_SHOP = '/namespaces/shop'
const SERVICES = `/api/v1${IN_SHOP}/services`
const SLICES = `/apis/discovery.k8s.io/v1${IN_SHOP}/endpointslices`
const found = (source: KubeObject, referents: readonly KubeObject[] = []): SourceSeen => ({
  is: 'found',
  source,
  referents,
})

async function sceneOf({ world = [], source = found(aDeployment()), instead = {} }: Given) {
  const { kube, requests } = aStrictReader(world, { instead })
  const seen = { access: 'granted', needs: [], pinned: undefined, rules: undefined, source } as const
  const { signal } = new AbortController()
  const scenes = new Scenes(kube, new VirtualTime())
  const scene = await scenes.of({ asked: anAsked(), seen, fork: aFork() }, { kube, signal })
  return { scene, requests }
}

const servicesIn = async (given: Given) =>
  (await sceneOf(given)).scene.traffic?.services.map(({ name }) => name) ?? 'unknown'
const slicesIn = async (given: Given) =>
  (await sceneOf(given)).scene.traffic?.slices.map(({ service, ready }) => `${service}: ${ready.length}`) ?? 'unknown'

describe('what surrounds a fork', () => {
  const other = aService('other', { app: 'other' })

  it('is the Services of its namespace that select pods', async () => {
    const world = [aService(), other, aService('none', {}), inNamespace('till', aService('till'))]
    expect(await servicesIn({ world })).to.deep.equal(['cart', 'other'])
  })

  it('is the endpoints of the Services that concern it, and of no others: there may be many', async () => {
    const slices = [aSlice(['a', 'b']), aSlice(['c'], 'other'), inNamespace('till', aSlice(['d']))]
    expect(await slicesIn({ world: [aService(), other, ...slices] })).to.deep.equal(['cart: 2'])
  })

  it('is no endpoint where no Service concerns it, and none is read', async () => {
    const { scene, requests } = await sceneOf({ world: [other, aSlice(['c'], 'other')] })
    expect(scene.traffic?.slices).to.deep.equal([])
    expect(requests.map(({ path }) => path)).to.not.include(SLICES)
  })

  const unread = { Services: SERVICES, 'their endpoints': SLICES }
  for (const [words, path] of Object.entries(unread))
    it(`is unknown where ${words} cannot be read; who else acts on pods is not`, async () => {
      const world = [aService(), aSlice(['a']), anAutoscaler({})]
      const { scene } = await sceneOf({ world, instead: { [path]: failing('unreachable') } })
      expect(scene.traffic).to.equal(undefined)
      expect(scene.neighbours?.autoscalers).to.have.length(1)
    })

  it('is the source and what it refers to', async () => {
    const referent = aDeployment({ name: 'base' })
    const { scene } = await sceneOf({ source: found(aDeployment(), [referent]) })
    expect(scene.pair).to.deep.include({ source: aDeployment(), referents: [referent] })
  })

  it('is no source where that is gone, which a pinned experiment outlives', async () => {
    const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })
    const { scene } = await sceneOf({ source: { is: 'absent' }, world: [aService(), referring] })
    expect(scene.pair).to.deep.include({ source: undefined, referents: [] })
    expect([scene.primary, scene.referrer]).to.deep.equal([undefined, undefined])
  })

  describe('of a source that is at zero', () => {
    const idle = aDeployment({ spec: { replicas: 0 } })
    const primary = aDeployment({ name: 'cart-primary' })

    it('is the workload that Flagger put in its place', async () =>
      expect((await sceneOf({ source: found(idle), world: [primary] })).scene.primary).to.equal('cart-primary'))

    const nobody: Record<string, Given> = {
      'is nobody where there is no such workload': { source: found(idle) },
      'is nobody of another namespace': { source: found(idle), world: [inNamespace('till', primary)] },
      'is nobody while the source serves by itself': { world: [primary] },
    }
    for (const [sentence, given] of Object.entries(nobody))
      it(sentence, async () => expect((await sceneOf(given)).scene.primary).to.equal(undefined))
  })

  describe('of a source that others may take their template from', () => {
    const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })

    it('is the Rollout that does', async () =>
      expect((await sceneOf({ world: [referring] })).scene.referrer).to.equal('rollout/cart'))

    it('is none of another namespace', async () =>
      expect((await sceneOf({ world: [inNamespace('till', referring)] })).scene.referrer).to.equal(undefined))

    it('is none in a cluster without Rollouts', async () => {
      const instead = { [`/apis/argoproj.io/v1alpha1${IN_SHOP}/rollouts`]: failing('kindAbsent') }
      const { scene } = await sceneOf({ instead, world: [anAutoscaler({})] })
      expect([scene.referrer, scene.neighbours?.autoscalers.length]).to.deep.equal([undefined, 1])
    })
  })
})
