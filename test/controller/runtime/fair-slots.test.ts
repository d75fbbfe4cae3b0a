import { expect } from 'chai'
import { FairSlots } from '../../../controller/runtime/fair-slots.ts'

/** Takes slots for keys of these namespaces, in turns, until nobody gets one. Returns how many each has. */
function fill(slots: FairSlots, namespaces: readonly string[]): readonly number[] {
  const taken = namespaces.map(() => 0)
  for (let turn = 0; turn < 100; turn += 1)
    for (const [place, namespace] of namespaces.entries()) {
      const key = `${namespace}/${turn}`
      if (!slots.mayTake(key)) continue
      slots.take(key)
      taken[place] = (taken[place] ?? 0) + 1
    }
  return taken
}

describe('slots', () => {
  it('are taken by one namespace up to the half', () => expect(fill(new FairSlots(80), ['a'])).to.deep.equal([40]))

  it('are shared by namespaces, and leave as many for another one', () => {
    const slots = new FairSlots(80)
    expect(fill(slots, ['a', 'b', 'c'])).to.deep.equal([20, 20, 20])
    expect(slots.mayTake('d/1')).to.equal(true)
  })

  it('are free until they are taken, and again when they are given back', () => {
    const slots = new FairSlots(3)
    slots.take('a/1')
    slots.take('b/1')
    slots.giveBack('a/1')
    expect(slots.free).to.equal(2)
  })

  it('are all taken by many namespaces, and free again when they are given back', () => {
    const slots = new FairSlots(3)
    for (const key of ['a/1', 'b/1', 'c/1']) slots.take(key)
    expect(slots.mayTake('d/1')).to.equal(false)
    slots.giveBack('a/1')
    expect(['a/2', 'b/2', 'd/1'].map((key) => slots.mayTake(key))).to.deep.equal([true, false, true])
  })
})
