import { expect } from 'chai'
import fc from 'fast-check'
import { readyEndpoints } from '../../../common/surroundings/endpoints.ts'
import { FORK } from '../../builders.ts'
import { slice } from './rows.ts'

const OTHER = 'cart-experiment-0123456789'
const names = ['cart-5c6b-1', 'cart-5c6b-2', `${FORK}-7d9f-1`, `${FORK}-0`, `${OTHER}-7d9f-1`]

describe('readyEndpoints', () => {
  it('counts the pods of each fork, and those of no experiment', () => {
    const slices = [slice('cart', ...names), slice('till', 'till-1')]
    expect(readyEndpoints(slices, 'cart', FORK)).to.deep.equal({ all: 5, ofFork: 2, others: 2 })
    expect(readyEndpoints(slices, 'cart', OTHER)).to.deep.equal({ all: 5, ofFork: 1, others: 2 })
    expect(readyEndpoints(slices, 'cart')).to.deep.equal({ all: 5, ofFork: 0, others: 2 })
  })

  it('counts nothing for a Service without slices', () => {
    expect(readyEndpoints([slice('till', 'till-1')], 'cart')).to.deep.include({ all: 0, others: 0 })
  })

  it('counts a pod once, in however many slices it is', () =>
    fc.assert(
      fc.property(fc.array(fc.subarray(names)), (slices) => {
        const once = new Set(slices.flat())
        const given = slices.map((pods) => slice('cart', ...pods))
        const [of, ofOther] = [FORK, OTHER].map((fork) => readyEndpoints(given, 'cart', fork))
        expect([of?.all, Number(of?.others) + Number(of?.ofFork) + Number(ofOther?.ofFork)]).to.deep.equal([
          once.size,
          once.size,
        ])
      }),
    ))

  it('P4: counts every list as if it were the first, whatever was counted before', () => {
    const pool = fc.array(fc.tuple(fc.constantFrom('cart', 'till'), fc.subarray(names)), { minLength: 1, maxLength: 6 })
    const lists = fc.array(fc.array(fc.nat(5)), { maxLength: 12 })
    fc.assert(
      fc.property(pool, lists, (of, choices) => {
        const slices = of.map(([service, pods]) => slice(service, ...pods))
        for (const choice of choices) {
          const list = [...new Set(choice)].flatMap((index) => slices[index] ?? [])
          for (const service of ['cart', 'till']) {
            const pods = [...new Set(list.filter((each) => each.service === service).flatMap(({ ready }) => ready))]
            const all = new Set(pods.map(({ pod }) => pod))
            const ofFork = [...all].filter((pod) => pod.startsWith(FORK)).length
            const others = [...all].filter((pod) => pod.startsWith('cart-5c6b')).length
            expect(readyEndpoints(list, service, FORK)).to.deep.equal({ all: all.size, ofFork, others })
          }
        }
      }),
    )
  })

  it('P4: reads a slice once, however many lists it is in and however often they are asked', () => {
    let reads = 0
    const counting = () => ({
      service: 'cart',
      get ready() {
        reads += 1
        return [{ uid: 'a', pod: 'cart-1' }]
      },
    })
    let slices = Array.from({ length: 10 }, counting)
    for (let asked = 0; asked < 10; asked += 1) readyEndpoints(slices, 'cart')
    expect(reads).to.equal(10)
    for (let changed = 0; changed < 10; changed += 1) {
      slices = slices.with(changed, counting())
      readyEndpoints(slices, 'cart')
    }
    expect(reads).to.equal(30) // each change reads the slice that came and the one that went
  })
})
