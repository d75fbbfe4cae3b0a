import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { percent, type SliceView, serviceShares, serviceView, sliceView } from '../../../common/workload/services.ts'
import { FORK } from '../../builders.ts'

const sides = { forkName: FORK, forkLabels: { app: 'cart', id: 'x' }, sourceLabels: { app: 'cart', tier: 'web' } }

const slice = (service: string, ...pods: readonly string[]): SliceView => ({
  service,
  ready: pods.map((pod) => ({ uid: `uid-${pod}`, pod })),
})

const ours = `${FORK}-7d9f-1`
const service = (name: string, selector: Readonly<Record<string, string>>) => ({ name, selector })

describe('serviceShares', () => {
  it('counts 1 of 12 as 8%', () => {
    const others = Array.from({ length: 11 }, (_, index) => `cart-${index}`)
    const [row] = serviceShares(
      { services: [service('cart', { app: 'cart' })], slices: [slice('cart', ours, ...others)] },
      sides,
    )
    expect(row).to.deep.equal({ name: 'cart', selected: true, share: '8%', experimentEndpoints: 1, readyEndpoints: 12 })
  })

  it('counts one pod in two slices once', () => {
    const slices = [slice('cart', ours, 'cart-1'), slice('cart', ours)]
    const [row] = serviceShares({ services: [service('cart', { app: 'cart' })], slices }, sides)
    expect([row?.experimentEndpoints, row?.readyEndpoints]).to.deep.equal([1, 2])
  })

  it('leaves out what selects neither side', () => {
    const services = [service('other', { app: 'other' }), service('part', { app: 'cart', zone: 'a' })]
    expect(serviceShares({ services, slices: [] }, sides)).to.deep.equal([])
  })

  it('names the labels that the fork lacks', () => {
    const [row] = serviceShares({ services: [service('web', { app: 'cart', tier: 'web' })], slices: [] }, sides)
    expect(row).to.deep.include({
      selected: false,
      reason: 'LabelsDoNotMatch',
      message: "the experiment's pods lack tier=web",
    })
  })

  it('lists a Service that wants one revision of the source', () => {
    const services = [service('stable', { app: 'cart', 'pod-template-hash': '5c6b' })]
    const [row] = serviceShares({ services, slices: [] }, sides)
    expect(row?.selected).to.equal(false)
  })

  it('sorts by name and stops at 32', () => {
    const services = Array.from({ length: 40 }, (_, index) => service(`s${99 - index}`, { app: 'cart' }))
    const rows = serviceShares({ services, slices: [] }, sides)
    expect(rows).to.have.length(32)
    expect(rows[0]?.name).to.equal('s60')
  })

  it('has no share of a Service without endpoints', () => {
    const [row] = serviceShares({ services: [service('cart', { app: 'cart' })], slices: [] }, sides)
    expect(row).not.to.have.property('share')
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
