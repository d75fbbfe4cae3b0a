import { expect } from 'chai'
import fc from 'fast-check'
import { readyEndpoints } from '../../../common/surroundings/endpoints.ts'
import { FORK } from '../../builders.ts'
import { slice } from './rows.ts'

const OTHER = 'cart-experiment-0123456789'
const names = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, `${FORK}-0`, `${OTHER}-7d9f-1`]

describe('readyEndpoints', () => {
  it('counts the pods of each fork, and those of no experiment', () => {
    const { all, others, byFork } = readyEndpoints([slice('cart', ...names), slice('till', 'till-1')], 'cart')
    expect([all, others, Object.fromEntries(byFork)]).to.deep.equal([5, 2, { [FORK]: 2, [OTHER]: 1 }])
  })

  it('counts nothing for a Service without slices', () => {
    expect(readyEndpoints([slice('till', 'till-1')], 'cart')).to.deep.include({ all: 0, others: 0 })
  })

  it('counts a pod once, in however many slices it is', () =>
    fc.assert(
      fc.property(fc.array(fc.subarray(names)), (slices) => {
        const once = new Set(slices.flat())
        const { all, others, byFork } = readyEndpoints(
          slices.map((pods) => slice('cart', ...pods)),
          'cart',
        )
        const ofForks = [...byFork.values()].reduce((sum, count) => sum + count, 0)
        expect([all, others + ofForks]).to.deep.equal([once.size, once.size])
      }),
    ))

  it('P4: counts a list once, however often it is asked', () => {
    let reads = 0
    const counting = {
      service: 'cart',
      get ready() {
        reads += 1
        return [{ uid: 'a', pod: 'cart-1' }]
      },
    }
    const slices = [counting]
    for (let asked = 0; asked < 10; asked += 1) readyEndpoints(slices, 'cart')
    expect(reads).to.equal(1)
  })
})
