import { expect } from 'chai'
import { ABSENT, known, knownValue, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { referrerOf } from '../../../common/surroundings/hazards.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { neighbourhoodReader, SurroundingsReader } from '../../../webhook/reads/surroundings.ts'
import { aDeployment, aFork, aRollout } from '../../builders.ts'
import { aReader, failing } from '../../fakes/reader.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { inNamespace } from '../a-decoded-request.ts'
import { anAutoscaler, aService, aSlice } from '../reviews.ts'

interface Given {
  readonly world?: readonly KubeObject[]
  readonly source?: KubeObject | 'absent'
  readonly instead?: Readonly<Record<string, () => unknown>>
}

const IN_SHOP = '/namespaces/shop'
const SERVICES = `/api/v1${IN_SHOP}/services`
const SLICES = `/apis/discovery.k8s.io/v1${IN_SHOP}/endpointslices`

async function read({ world = [], source = aDeployment(), instead = {} }: Given) {
  const { kube, requests } = aReader(world, { instead })
  const { signal } = new AbortController()
  const pair = { kind: deployment, source: source === 'absent' ? undefined : source, referents: [], fork: aFork() }
  const surroundings = await new SurroundingsReader(kube, new VirtualTime()).of(pair, { kube, signal })
  return { surroundings, requests }
}

const autoscalersOf = async (given: Given) =>
  knownValue((await read(given)).surroundings.neighbours)?.autoscalers.length

const servicesIn = async (given: Given) =>
  knownValue((await read(given)).surroundings.traffic)?.services.map(({ name }) => name) ?? 'unknown'
const slicesIn = async (given: Given) =>
  knownValue((await read(given)).surroundings.traffic)?.slices.map(
    ({ service, ready }) => `${service}: ${ready.length}`,
  ) ?? 'unknown'

describe('what touches the pods of a fork', () => {
  const other = aService('other', { app: 'other' })

  it('is the Services of its namespace that select pods', async () => {
    const world = [aService(), other, aService('none', {}), inNamespace('till', aService('till'))]
    expect(await servicesIn({ world })).to.deep.equal(['cart', 'other'])
  })

  it('is the endpoints of the Services that concern it, and not of others, which may be many', async () => {
    const slices = [aSlice(['a', 'b']), aSlice(['c'], 'other'), inNamespace('till', aSlice(['d']))]
    expect(await slicesIn({ world: [aService(), other, ...slices] })).to.deep.equal(['cart: 2'])
  })

  it('is the endpoints of all Services that concern it, however many', async () => {
    const names = Array.from({ length: 33 }, (_, index) => `cart-${10 + index}`)
    const world = names.flatMap((name) => [aService(name), aSlice(['a', 'b'], name)])
    expect(await slicesIn({ world })).to.deep.equal(names.map((name) => `${name}: 2`))
    const { requests } = await read({ world })
    expect(requests.filter(({ path }) => path === SLICES)).to.have.lengthOf(1)
  })

  for (const [count, keptMs] of [
    [300, 300],
    [2, 250],
  ] as const)
    it(`P1: is read again after ${keptMs} ms where there are ${count} endpoints`, async () => {
      const pods = Array.from({ length: count }, (_, index) => `cart-${index}`)
      const { kube, requests } = aReader([aService(), aSlice(pods)], {})
      const [{ signal }, time] = [new AbortController(), new VirtualTime()]
      const reader = new SurroundingsReader(kube, time)
      const pair = { kind: deployment, source: aDeployment(), referents: [], fork: aFork() }
      const reviews = async (count: number) => {
        for (let review = 0; review < count; review += 1) await reader.of(pair, { kube, signal })
        return requests.filter(({ path }) => path === SLICES).length
      }
      expect(await reviews(5)).to.equal(1)
      await time.pass(keptMs - 1)
      expect(await reviews(1)).to.equal(1)
      await time.pass(1)
      expect(await reviews(1)).to.equal(2)
    })

  it('is read again at once where it could not be read', async () => {
    const { kube, requests } = aReader([], { instead: { [SERVICES]: failing('unreachable') } })
    const { signal } = new AbortController()
    const reader = new SurroundingsReader(kube, new VirtualTime())
    const pair = { kind: deployment, source: aDeployment(), referents: [], fork: aFork() }
    for (let review = 0; review < 2; review += 1) await reader.of(pair, { kube, signal })
    expect(requests.filter(({ path }) => path === SERVICES)).to.have.lengthOf(2)
  })

  it('has no endpoints if no Service concerns it, and no slice is read', async () => {
    const { surroundings, requests } = await read({ world: [other, aSlice(['c'], 'other')] })
    expect(knownValue(surroundings.traffic)?.slices).to.deep.equal([])
    expect(requests.map(({ path }) => path)).to.not.include(SLICES)
  })

  const unread = { Services: SERVICES, 'their endpoints': SLICES }
  for (const [words, path] of Object.entries(unread))
    it(`is unknown for traffic where ${words} cannot be read; neighbours are known`, async () => {
      const world = [aService(), aSlice(['a']), anAutoscaler({})]
      const given = { world, instead: { [path]: failing('unreachable') } }
      expect((await read(given)).surroundings.traffic).to.deep.equal(unknown('the Services'))
      expect(await autoscalersOf(given)).to.equal(1)
    })

  it('is unknown for neighbours where they cannot be read; traffic is known', async () => {
    const instead = { [`/apis/autoscaling/v2${IN_SHOP}/horizontalpodautoscalers`]: failing('unreachable') }
    const { surroundings } = await read({ world: [aService()], instead })
    expect(surroundings.neighbours).to.deep.equal(unknown('autoscalers, budgets and network policies'))
    expect(surroundings.traffic.is).to.equal('known')
  })

  it('is neither primary nor referrer where the source does not exist, as for a pinned experiment', async () => {
    const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })
    const { surroundings } = await read({ source: 'absent', world: [aService(), referring] })
    expect([surroundings.primary, surroundings.referrer]).to.deep.equal([ABSENT, ABSENT])
  })

  describe('for a source with zero replicas', () => {
    const idle = aDeployment({ spec: { replicas: 0 } })
    const primary = aDeployment({ name: 'cart-primary' })

    it('is the workload that Flagger put in its place', async () =>
      expect((await read({ source: idle, world: [primary] })).surroundings.primary).to.deep.equal(
        known('cart-primary'),
      ))

    const none: Record<string, Given> = {
      'is no primary where there is no such workload': { source: idle },
      'is no primary of another namespace': { source: idle, world: [inNamespace('till', primary)] },
      'is no primary while the source has replicas': { world: [primary] },
    }
    for (const [sentence, given] of Object.entries(none))
      it(sentence, async () => expect((await read(given)).surroundings.primary).to.deep.equal(ABSENT))
  })

  describe('for a source that others may take their template from', () => {
    const referring = aRollout({ workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } })

    it('is the Rollout that does', async () =>
      expect((await read({ world: [referring] })).surroundings.referrer).to.deep.equal(known('rollout/cart')))

    it('is no Rollout of another namespace', async () =>
      expect((await read({ world: [inNamespace('till', referring)] })).surroundings.referrer).to.deep.equal(ABSENT))

    it('is no Rollout in a cluster without Rollouts', async () => {
      const instead = { [`/apis/argoproj.io/v1alpha1${IN_SHOP}/rollouts`]: failing('kindAbsent') }
      const given = { instead, world: [anAutoscaler({})] }
      expect((await read(given)).surroundings.referrer).to.deep.equal(ABSENT)
      expect(await autoscalersOf(given)).to.equal(1)
    })
  })
})

const LISTS = 4 // autoscalers, budgets, policies, Rollouts

function world({ isDown = false, rollout = aRollout() } = {}) {
  const time = new VirtualTime()
  const { kube, asked } = aReader([anAutoscaler({}), rollout], { isDown })
  return { time, asked, neighbourhoodOf: neighbourhoodReader(kube, time) }
}

describe('the neighbourhood of a fork', () => {
  it('N20: is read again for a review that sizes a preview, and then kept for all others', async () => {
    const { time, asked, neighbourhoodOf } = world()
    await neighbourhoodOf('shop')
    await time.pass(1)
    await neighbourhoodOf('shop', 0)
    expect(asked).to.have.length(2 * LISTS)
    await time.pass(9_999)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * LISTS)
  })

  it('is read once for all reviews within ten seconds', async () => {
    const { time, asked, neighbourhoodOf } = world()
    const all = await Promise.all(['shop', 'shop', 'shop'].map((namespace) => neighbourhoodOf(namespace)))
    expect(asked).to.have.length(LISTS)
    expect(all[2]?.neighbours?.autoscalers).to.have.length(1)
    expect(all[2]?.referring.map(({ kind }) => kind)).to.deep.equal(['Rollout'])
    await time.pass(9_999)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(LISTS)
    await time.pass(1)
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * LISTS)
  })

  it('keeps of a Rollout the object that it refers to, but neither template, status nor managed fields', async () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' }
    const { metadata, ...rest } = aRollout({ workloadRef })
    const managedFields = [{ manager: 'argo', operation: 'Update' }]
    const rollout = { ...rest, metadata: { ...metadata, managedFields }, status: { conditions: [{ type: 'Healthy' }] } }
    const [kept] = (await world({ rollout }).neighbourhoodOf('shop')).referring
    expect(kept?.spec).to.deep.equal({ workloadRef })
    expect(JSON.stringify(kept)).not.to.match(/managedFields|Healthy|containers/)
    expect(kept && referrerOf(aDeployment(), [kept])).to.equal('rollout/cart')
  })

  it('is read again where it could not be read', async () => {
    const { asked, neighbourhoodOf } = world({ isDown: true })
    expect((await neighbourhoodOf('shop')).neighbours).to.equal(undefined)
    const before = asked.length
    await neighbourhoodOf('shop')
    expect(asked).to.have.length(2 * before)
  })
})
