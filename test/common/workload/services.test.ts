import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { percent } from '../../../common/workload/percent.ts'
import { serviceView, sliceView } from '../../../common/workload/services.ts'
import { aFork } from '../../builders.ts'
import { CART, others, ours, rows, service, slice } from './rows.ts'

describe('serviceShares', () => {
  it('counts 1 of 12 as 8%', () => {
    const [row] = rows([CART], [slice('cart', ours, ...others)])
    expect(row).to.deep.equal({ name: 'cart', selected: true, share: '8%', experimentEndpoints: 1, readyEndpoints: 12 })
  })

  it('counts one pod in two slices once', () => {
    const [row] = rows([CART], [slice('cart', ours, 'cart-1'), slice('cart', ours)])
    expect([row?.experimentEndpoints, row?.readyEndpoints]).to.deep.equal([1, 2])
  })

  it('leaves out what selects neither side', () => {
    expect(rows([service('other', { app: 'other' }), service('part', { app: 'cart', zone: 'a' })])).to.deep.equal([])
  })

  it('tells what selects the fork while the source is not there', () => {
    expect(rows([CART], [], { source: undefined, fork: aFork() })[0]?.selected).to.equal(true)
  })

  it('sorts by name and stops at 32', () => {
    const services = Array.from({ length: 40 }, (_, index) => service(`s${99 - index}`, { app: 'cart' }))
    const found = rows(services)
    expect(found).to.have.length(32)
    expect(found[0]?.name).to.equal('s60')
  })

  it('has no share of a Service without endpoints', () => {
    expect(rows([CART])[0]).not.to.have.property('share')
  })
})

describe('percent', () => {
  const cases: readonly (readonly [number, number, string | undefined])[] = [
    [1, 13, '8%'],
    [0, 13, '0%'],
    [1, 300, '<1%'],
    [199, 200, '99%'],
    [3, 3, '100%'],
    [0, 0, undefined],
  ]
  for (const [part, whole, text] of cases)
    it(`says ${text} for ${part} of ${whole}`, () => expect(percent(part, whole)).to.equal(text))
})

describe('the projections of Services and EndpointSlices', () => {
  const object = (of: Partial<KubeObject>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'cart' },
    ...of,
  })

  it('keep no Service that selects no pods', () => {
    expect(serviceView(object({ spec: { type: 'ExternalName', selector: { a: 'b' } } }))).to.equal(undefined)
    expect(serviceView(object({ spec: {} }))).to.equal(undefined)
    expect(serviceView(object({ spec: { selector: { a: 'b' } } }))).to.deep.equal({
      name: 'cart',
      selector: { a: 'b' },
    })
  })

  it('keep of a Service what bends a share, where it does', () => {
    const plain = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', clusterIP: '198.18.0.1' }
    const bent = { sessionAffinity: 'ClientIP', internalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' }
    const selector = { a: 'b' }
    expect(serviceView(object({ spec: { selector, ...plain } }))).to.have.all.keys('name', 'selector')
    expect(serviceView(object({ spec: { selector, ...bent, clusterIP: 'None' } }))).to.deep.equal({
      name: 'cart',
      selector,
      ...bent,
      isHeadless: true,
    })
  })

  it('keep of a slice its ready pods', () => {
    const endpoint = (name: string, ready: boolean | undefined) => ({
      conditions: ready === undefined ? {} : { ready },
      targetRef: { kind: 'Pod', name, uid: name },
    })
    const metadata = { name: 'cart-x', labels: { 'kubernetes.io/service-name': 'cart' } }
    const endpoints = [
      endpoint('a', true),
      endpoint('b', false),
      endpoint('c', undefined),
      { addresses: ['198.18.0.1'] },
    ]
    expect(sliceView(object({ metadata, endpoints }))?.ready.map(({ pod }) => pod)).to.deep.equal(['a', 'c'])
    expect(sliceView(object({ endpoints }))).to.equal(undefined)
  })
})
