import { expect } from 'chai'
import { aDeployment, aFork } from '../../builders.ts'
import { CART, others, ours, rows, service, slice } from './rows.ts'

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

  it('gives no share for a Service without endpoints', () => {
    expect(rows([CART])[0]).not.to.have.property('share')
  })
})
