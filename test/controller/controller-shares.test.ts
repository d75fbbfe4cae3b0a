import { expect } from 'chai'
import { forkName } from '../../common/workload/identity.ts'
import { anExperiment } from '../builders.ts'
import { AVAILABLE, aController, PATHS, stored } from '../fakes/controller.ts'

const SERVICE = '/api/v1/namespaces/shop/services/cart'
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/cart'
const FORKS = 100

const names = Array.from({ length: FORKS }, (_, index) => `test-${index}`)
const podOf = (name: string) => `${forkName('cart', name)}-1`
const experiments = names.map((name) => {
  const creationTimestamp = new Date(Date.parse('2026-11-21T09:00:00Z') + 1_000 * Number(name.slice(5))).toISOString()
  return [`${PATHS.experiments}/${name}`, stored(anExperiment({ metadata: { name, uid: name, creationTimestamp } }))]
})

const theService = stored({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'cart', namespace: 'shop', uid: 'service' },
  spec: { selector: { app: 'cart' } },
})
const aSlice = (pods: readonly string[]) =>
  stored({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'cart', namespace: 'shop', uid: 'slice', labels: { 'kubernetes.io/service-name': 'cart' } },
    endpoints: pods.map((name) => ({
      addresses: [name],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name, uid: name },
    })),
  })

describe('P3: the shares of many forks behind one Service', () => {
  it('are written at a limited rate, the newest first, each once within a minute', async () => {
    const pods = ['cart-of-source', ...names.map(podOf)]
    const world = aController({ ...Object.fromEntries(experiments), [SERVICE]: theService, [SLICE]: aSlice(pods) })
    await world.controller.start()
    world.controller.lead()
    await world.pass(1_000)
    for (const name of names)
      world.change(`${PATHS.deployments}/${forkName('cart', name)}`, () => ({ status: AVAILABLE }))
    await world.pass(300_000)
    world.server.put(SLICE, aSlice([...pods, ...names.map((name) => `cart-${name}`)]))
    const perSecond: (readonly string[])[] = []
    for (let second = 0; second < 60; second += 1) {
      world.server.diary.length = 0
      await world.pass(1_000)
      perSecond.push(world.server.diary.filter((request) => request.endsWith('/status')))
    }
    await world.controller.stop()
    const written = perSecond.flat().filter((request) => !request.includes('faster-cart'))
    expect(written).to.have.length(FORKS)
    expect(Math.max(...perSecond.map(({ length }) => length))).to.be.at.most(21)
    expect([written[0], written.at(-1)]).to.deep.equal([
      `apply ${PATHS.experiments}/test-${FORKS - 1}/status`,
      `apply ${PATHS.experiments}/test-0/status`,
    ])
  })
})
