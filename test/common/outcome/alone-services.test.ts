import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { servicesWithoutOthers } from '../../../common/outcome/alone.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { aFork } from '../../builders.ts'
import { CART, ours, pairOf, service, slice } from '../surroundings/rows.ts'

const found = (services: readonly ServiceView[], slices: readonly SliceView[] = [], of = {}) =>
  servicesWithoutOthers({ services, slices }, trafficInput(pairOf(of)))
const MINE = service('mine', { [EXPERIMENT_ID]: 'cd1aa1c99c' })

describe('servicesWithoutOthers', () => {
  it('S13: names the Services without ready pods of the source', () =>
    expect(found([CART, service('all', { app: 'cart' })], [slice('cart', ours)])).to.deep.equal(['all', 'cart']))

  it('S13: counts any other ready pod, but no pod of another experiment', () => {
    expect(found([CART], [slice('cart', ours, 'cart-1')])).to.deep.equal([])
    expect(found([CART], [slice('cart', 'cart-primary-1')])).to.deep.equal([])
    expect(found([CART], [slice('cart', ours, 'cart-experiment-0123456789-1')])).to.deep.equal(['cart'])
  })

  it('S13: leaves out a Service that does not select both, because one for the fork alone is meant so', () => {
    expect(found([service('web', { tier: 'web' }), service('other', { app: 'other' })])).to.deep.equal([])
    expect(found([MINE])).to.deep.equal([])
    expect(found([service('cut-over', { app: 'cart', [EXPERIMENT_ID]: 'cd1aa1c99c' })])).to.deep.equal([])
  })

  it('S13: also finds them when the source was deleted', () =>
    expect(found([CART, MINE], [], { source: undefined, fork: aFork() })).to.deep.equal(['cart']))
})
