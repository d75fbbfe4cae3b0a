import { expect } from 'chai'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { changedPods, TrafficIndex } from '../../../controller/indexes/traffic.ts'

const service = (name: string): ServiceView => ({ name, selector: { app: name } })
const slice = (...pods: readonly string[]): SliceView => ({
  service: 'cart',
  ready: pods.map((pod) => ({ address: pod, pod })),
})

describe('the index of traffic', () => {
  it('keeps Services and EndpointSlices by namespace', () => {
    const index = new TrafficIndex(() => true)
    index.services.update({ is: 'added', key: 'shop/cart', after: service('cart') })
    index.services.update({ is: 'added', key: 'store/till', after: service('till') })
    index.slices.update({ is: 'added', key: 'shop/cart-x1', after: slice('cart-1') })
    expect(index.of('shop')).to.deep.equal({ services: [service('cart')], slices: [slice('cart-1')] })
    expect(index.of('store')).to.deep.equal({ services: [service('till')], slices: [] })
    expect(index.of('empty')).to.deep.equal({ services: [], slices: [] })
  })

  it('gives the same list until something changes', () => {
    const index = new TrafficIndex(() => true)
    index.slices.update({ is: 'added', key: 'shop/cart-x1', after: slice('cart-1') })
    const { slices } = index.of('shop')
    index.slices.update({ is: 'added', key: 'store/till-x1', after: slice('till-1') })
    expect(index.of('shop').slices).to.equal(slices)
    index.slices.update({ is: 'added', key: 'shop/cart-x2', after: slice('cart-2') })
    expect(index.of('shop').slices).to.have.length(2)
    expect(slices).to.have.length(1)
  })

  it('N29: names what is too large to be read beside the other objects of the namespace', () => {
    const index = new TrafficIndex(() => true)
    const large = { name: 'service/large', unread: 'too large' }
    const long = { name: 'endpointslice/large-x1', unread: 'too large' }
    index.services.update({ is: 'added', key: 'shop/cart', after: service('cart') })
    index.services.update({ is: 'added', key: 'shop/large', after: large })
    index.slices.update({ is: 'added', key: 'shop/large-x1', after: long })
    expect(index.of('shop')).to.deep.equal({ services: [service('cart')], slices: [], unread: [large, long] })
    index.services.update({ is: 'updated', key: 'shop/large', before: large, after: service('large') })
    index.slices.update({ is: 'deleted', key: 'shop/large-x1', before: long })
    expect(index.of('shop')).to.deep.equal({ services: ['cart', 'large'].map(service), slices: [] })
  })

  it('lets a pass that reads follow all Services of the namespace', () => {
    const index = new TrafficIndex(() => true)
    index.services.update({ is: 'added', key: 'shop/cart', after: service('cart') })
    expect(index.readFor('shop/faster-cart', 'shop').services).to.deep.equal([service('cart')])
    expect(index.followers.take('shop', 'till')).to.deep.equal(['shop/faster-cart'])
  })

  it('follows updates and deletes', () => {
    const index = new TrafficIndex(() => true)
    const [before, after] = [slice('cart-1'), slice('cart-1', 'cart-2')]
    index.slices.update({ is: 'added', key: 'shop/cart-x1', after: before })
    index.slices.update({ is: 'updated', key: 'shop/cart-x1', before, after })
    expect(index.of('shop').slices).to.deep.equal([after])
    index.slices.update({ is: 'deleted', key: 'shop/cart-x1', before: after })
    expect(index.of('shop').slices).to.deep.equal([])
  })
})

describe('changedPods', () => {
  it('are the pods that became ready or stopped being ready', () => {
    expect([...changedPods(slice('a', 'b'), slice('b', 'c'))]).to.deep.equal(['a', 'c'])
    expect([...changedPods(undefined, slice('a'))]).to.deep.equal(['a'])
    expect([...changedPods(slice('a'), undefined)]).to.deep.equal(['a'])
    expect([...changedPods(slice('a'), slice('a'))]).to.deep.equal([])
  })
})
