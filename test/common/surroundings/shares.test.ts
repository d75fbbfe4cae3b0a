import { expect } from 'chai'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { concernedServices } from '../../../common/surroundings/shares.ts'
import type { SliceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, aFork } from '../../builders.ts'
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
