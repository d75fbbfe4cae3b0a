import { expect } from 'chai'
import fc from 'fast-check'
import { DueTimes } from '../../../controller/runtime/due-times.ts'
import '../../property.ts'

const aKey = fc.integer({ min: 0, max: 20 })
const aStep = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key: aKey, ms: fc.nat(1_000) }),
  fc.record({ do: fc.constant('delete' as const), key: aKey, ms: fc.constant(0) }),
  fc.record({ do: fc.constant('take' as const), key: aKey, ms: fc.nat(1_000) }),
)

describe('due times', () => {
  it('are those of a plain map, the earliest first', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 200 }), (steps) => {
        const due = new DueTimes<number>()
        const model = new Map<number, number>()
        for (const { do: what, key, ms } of steps) {
          if (what === 'put') {
            due.put(key, ms)
            model.set(key, Math.min(ms, model.get(key) ?? ms))
          } else if (what === 'delete') {
            due.delete(key)
            model.delete(key)
          } else {
            const taken = due.take(ms)
            const times = taken.map((key) => model.get(key) ?? Number.NaN)
            expect(times).to.deep.equal([...times].sort((a, b) => a - b))
            expect(new Set(taken)).to.deep.equal(
              new Set([...model.keys()].filter((key) => (model.get(key) ?? 0) <= ms)),
            )
            for (const key of taken) model.delete(key)
          }
          expect(due.size).to.equal(model.size)
          expect(due.next).to.equal(model.size > 0 ? Math.min(...model.values()) : undefined)
        }
      }),
    )
  })

  it('keep the order of equal times', () => {
    const due = new DueTimes<number>()
    const keys = Array.from({ length: 20 }, (_, key) => key)
    for (const key of keys) due.put(key, 7)
    expect(due.take(7)).to.deep.equal(keys)
  })

  it('do not grow when keys are added and deleted', () => {
    const due = new DueTimes<number>()
    for (let ms = 1_000_000; ms > 990_000; ms--) {
      due.put(1, ms)
      due.put(2, 1_000_000)
      due.delete(2)
    }
    expect(due.size).to.equal(1)
    expect(due.heapSize).to.be.below(100)
    expect(due.take(1_000_000)).to.deep.equal([1])
  })
})
