import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Neighbours } from '../../../common/surroundings/neighbours.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { concernedServices, endpointsOfOthers, serviceShares } from '../../../common/surroundings/shares.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aFork, aStatefulSet, FORK } from '../../builders.ts'
import { CART, others, ours, pairOf, rows, service, slice } from './rows.ts'

describe('serviceShares', () => {
  it('gives one of 12 endpoints a share of 8%', () => {
    const [row] = rows([CART], [slice('cart', ours, ...others)])
    expect(row).to.deep.equal({ name: 'cart', selected: true, share: '8%', experimentEndpoints: 1, readyEndpoints: 12 })
  })

  it('counts a pod that is in two slices once', () => {
    const [row] = rows([CART], [slice('cart', ours, 'cart-1'), slice('cart', ours)])
    expect([row?.experimentEndpoints, row?.readyEndpoints]).to.deep.equal([1, 2])
  })

  it('leaves out a Service that selects neither the fork nor the source', () => {
    expect(rows([service('other', { app: 'other' }), service('part', { app: 'cart', zone: 'a' })])).to.deep.equal([])
  })

  it('lists the Services that select the fork while the source does not exist', () => {
    expect(rows([CART], [], { source: undefined, fork: aFork() })[0]?.selected).to.equal(true)
  })

  it('sorts by name, and lists at most 32 Services', () => {
    const services = Array.from({ length: 40 }, (_, index) => service(`s${99 - index}`, { app: 'cart' }))
    const found = rows(services)
    expect(found).to.have.length(32)
    expect(found[0]?.name).to.equal('s60')
  })

  describe('of a Service that names the ports of pods', () => {
    const named = (...portNames: string[]) => [{ ...CART, portNames }]
    const withPort = (of: object) => ({
      fork: aFork(aDeployment(), { pod: { containers: [{ name: 'cart', ...of }] } }),
    })
    const http = { ports: [{ name: 'http', containerPort: 80 }] }

    it('says that the fork gets no requests without any of them', () => {
      expect(rows(named('http', 'grpc'), [slice('cart', 'cart-1')], withPort({}))[0]).to.deep.equal({
        name: 'cart',
        selected: false,
        reason: 'PortMissing',
        message: 'no container of the fork has a port named http or grpc',
        experimentEndpoints: 0,
        readyEndpoints: 1,
      })
    })

    it('selects a fork with one of them', () => {
      expect(rows(named('http', 'grpc'), [], withPort(http))[0]?.selected).to.equal(true)
    })

    it('selects a fork without any of them if it sends to others by number', () => {
      expect(rows([{ ...CART, portNames: ['http'], hasPortNumbers: true }], [], withPort({}))[0]?.selected).to.equal(
        true,
      )
    })

    it('selects a fork with one in an init container that keeps running', () => {
      const of = (restartPolicy: string) => {
        const sidecar = { name: 'proxy', image: 'a:1', restartPolicy, ...http }
        return { fork: aFork(aDeployment(), { pod: { initContainers: [sidecar] } }) }
      }
      expect(rows(named('http'), [], of('Always'))[0]?.selected).to.equal(true)
      expect(rows(named('http'), [], of(''))[0]?.selected).to.equal(false)
    })
  })

  describe('of a Service that selects by a label that pods get while they run', () => {
    const replicas = service('replicas', { app: 'cart', role: 'replica' })
    const listed = [slice('replicas', ours, 'cart-1')]

    it('has the share of a fork whose pods got it', () => {
      const expected = {
        name: 'replicas',
        selected: true,
        message: 'pods get role=replica while they run',
        share: '50%',
        experimentEndpoints: 1,
        readyEndpoints: 2,
      }
      expect(rows([replicas], listed)).to.deep.equal([expected])
      expect(rows([replicas], listed, { source: undefined, fork: aFork() })).to.deep.equal([expected])
    })

    it('concerns the fork from then on', () => {
      const concerned = (slices: readonly SliceView[]) =>
        concernedServices({ services: [CART, replicas], slices }, trafficInput(pairOf()))
      expect(concerned([])).to.deep.equal(['cart'])
      expect(concerned(listed)).to.deep.equal(['cart', 'replicas'])
    })

    it('is left out while no pod of the fork got it', () =>
      expect(rows([replicas], [slice('replicas', 'cart-0', 'cart-1')])).to.deep.equal([]))

    it('is left out while it lists pods of a former template of the fork, or of its source', () => {
      const hashed = service('hashed', { app: 'cart', 'pod-template-hash': '5c6b', role: 'replica' })
      const other = service('other', { app: 'other', role: 'replica' })
      expect(rows([hashed, other], [slice('hashed', ours), slice('other', ours)])).to.deep.equal([])
    })
  })

  it('gives no share for a Service without endpoints', () => {
    expect(rows([CART])[0]).not.to.have.property('share')
  })
})

const hpa = (min: number, max: number): Neighbours['autoscalers'] => [
  { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min, max, isOnCpu: true },
]
const caveats: Record<string, readonly [Partial<ServiceView>, Neighbours['autoscalers'], string | undefined]> = {
  'gives nothing for a plain Service': [{}, [], undefined],
  'gives the range of the share if an HPA scales the source: replicas/(max+replicas) to replicas/(min+replicas)': [
    {},
    hpa(2, 19),
    '5% to 33% while hpa/cart scales the source',
  ],
  'ignores an HPA of another workload': [
    {},
    [{ name: 'x', target: { kind: 'StatefulSet', name: 'cart' }, min: 1, max: 2, isOnCpu: true }],
    undefined,
  ],
  'gives sessionAffinity': [{ sessionAffinity: 'ClientIP' }, [], 'sessionAffinity ClientIP: only new clients reach it'],
  'gives internalTrafficPolicy Local': [
    { internalTrafficPolicy: 'Local' },
    [],
    'internalTrafficPolicy Local: only callers on its node reach it',
  ],
  'gives trafficDistribution': [
    { trafficDistribution: 'PreferClose' },
    [],
    'trafficDistribution PreferClose: nearby callers are preferred',
  ],
  'gives externalTrafficPolicy Local': [
    { externalTrafficPolicy: 'Local' },
    [],
    'externalTrafficPolicy Local: requests from outside are divided by node',
  ],
  'gives topology-mode Auto': [{ topologyMode: 'Auto' }, [], 'topology-mode Auto: nearby callers are preferred'],
  'joins several caveats': [
    { sessionAffinity: 'ClientIP' },
    hpa(1, 1),
    '50% to 50% while hpa/cart scales the source; sessionAffinity ClientIP: only new clients reach it',
  ],
}

describe('serviceShares, on what the share depends on,', () => {
  for (const [sentence, [of, autoscalers, message]] of Object.entries(caveats))
    it(sentence, () => {
      const [row] = serviceShares({ services: [{ ...CART, ...of }], slices: [] }, trafficInput(pairOf(), autoscalers))
      expect(row?.message).to.equal(message)
    })

  it('counts the endpoints of other experiments', () => {
    const [row] = rows([CART], [slice('cart', ours, 'cart-1', 'cart-experiment-0123456789-7d9f-x')])
    expect(row?.message).to.equal('1 of the endpoints belongs to another experiment')
  })

  it('counts the endpoints of its own twin apart', () => {
    const twinName = 'cart-experiment-0123456789'
    const endpoints = [slice('cart', ours, 'cart-1', `${twinName}-7d9f-x`)]
    const [row] = rows([CART], endpoints, { twinName })
    expect(row?.message).to.equal('1 of the endpoints belongs to its twin')
  })

  it('gives no range for an experiment without pods', () => {
    const input = { ...trafficInput(pairOf(), hpa(1, 2)), replicas: 0 }
    const [row] = serviceShares({ services: [CART], slices: [] }, input)
    expect(row).to.not.have.property('message')
  })
})

describe('endpointsOfOthers', () => {
  it('counts the ready pods of each Service that selects the fork, without those of experiments', () => {
    const source = aDeployment()
    const input = trafficInput({ kind: deployment, source, referents: [], fork: aFork() })
    const pods = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, 'cart-experiment-0123456789-aa-1']
    const ready = pods.map((pod) => ({ address: pod, pod }))
    const traffic = {
      services: [
        { name: 'cart', selector: { app: 'cart' } },
        { name: 'other', selector: { app: 'other' } },
        { name: 'web', selector: { app: 'cart' } },
        { name: 'joined', selector: { app: 'cart', role: 'replica' } },
        { name: 'not-joined', selector: { app: 'cart', role: 'leader' } },
      ],
      slices: [
        { service: 'cart', ready },
        { service: 'cart', ready },
        { service: 'web', ready: ready.slice(2) },
        { service: 'joined', ready: ready.slice(1) },
        { service: 'not-joined', ready: ready.slice(0, 1) },
      ],
    }
    expect(endpointsOfOthers(traffic, input)).to.deep.equal([
      { service: 'cart', ready: 2 },
      { service: 'web', ready: 0 },
      { service: 'joined', ready: 1 },
    ])
  })

  it('N23: counts ready endpoints without a pod as others, in the share and for maxShare', () => {
    const input = trafficInput({ kind: deployment, source: aDeployment(), referents: [], fork: aFork() })
    const ready = [`${FORK}-7d9f-1`, 'cart-1', 'cart-2', 'cart-3'].map((pod) => ({ address: pod, pod }))
    const traffic = {
      services: [{ name: 'cart', selector: { app: 'cart' } }],
      slices: [
        { service: 'cart', ready },
        { service: 'cart', ready: [{ address: '10.9.0.1' }, { address: '10.9.0.2' }] },
      ],
    }
    const [share] = serviceShares(traffic, input)
    expect(share).to.deep.include({ share: '17%', experimentEndpoints: 1, readyEndpoints: 6 })
    expect(endpointsOfOthers(traffic, input)).to.deep.equal([{ service: 'cart', ready: 5 }])
  })

  it('N37a: counts nothing that a forged slice of another family lists, so that it avoids no maxShare', () => {
    const input = trafficInput({ kind: deployment, source: aDeployment(), referents: [], fork: aFork() })
    const of = (...pods: string[]) => ({ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) })
    const slices = [of('cart-1', 'cart-2'), { ...of('cart-3', 'cart-4', 'cart-5'), family: 'IPv6' }]
    const services = [{ name: 'cart', selector: { app: 'cart' } }]
    expect(endpointsOfOthers({ services, slices }, input)).to.deep.equal([{ service: 'cart', ready: 2 }])
  })

  it('says which Service selects only one pod of each workload, by a label that each pod has with another value', () => {
    const index = { 'apps.kubernetes.io/pod-index': '0' }
    const traffic = { services: [{ name: 'first', selector: { app: 'cart', ...index } }], slices: [] }
    const endpointsBehind = (kind: WorkloadKind, source: KubeObject, labels = {}) =>
      endpointsOfOthers(traffic, trafficInput({ kind, source, referents: [], fork: aFork(source, { labels }) }))
    expect(endpointsBehind(statefulSet, aStatefulSet())).to.deep.equal([
      { service: 'first', ready: 0, isOfOnePod: true },
    ])
    expect(endpointsBehind(deployment, aDeployment(), index)).to.deep.equal([{ service: 'first', ready: 0 }])
  })
})
