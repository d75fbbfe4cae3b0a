import { expect } from 'chai'
import { TimedMap } from '../../../controller/memory/timed-map.ts'
import { VirtualTime } from '../../virtual-time.ts'

function world() {
  const time = new VirtualTime()
  return { time, map: new TimedMap<string, number>(time, 1_000) }
}

describe('a timed map', () => {
  it('finds a value for its time, from when it was last set', async () => {
    const { time, map } = world()
    map.set('a', 1)
    await time.pass(999)
    expect([map.get('a'), map.get('b')]).to.deep.equal([1, undefined])
    map.set('a', 2)
    await time.pass(999)
    expect(map.get('a')).to.equal(2)
    await time.pass(1)
    expect([map.get('a'), map.size]).to.deep.equal([undefined, 1])
  })

  it('finds a value for a time of its own', async () => {
    const { time, map } = world()
    map.set('long', 1, 5_000)
    map.set('short', 2, 500)
    await time.pass(500)
    expect([map.get('long'), map.get('short')]).to.deep.equal([1, undefined])
  })

  it('sweeps what was set first and is over, and returns it', async () => {
    const { time, map } = world()
    for (const [key, value] of [
      ['a', 2],
      ['b', 3],
    ] as const)
      map.set(key, value)
    map.set('long', 1, 5_000)
    await time.pass(1)
    map.set('b', 4)
    await time.pass(999)
    expect([map.sweep(), map.size]).to.deep.equal([[2], 2])
    expect([map.sweep(), map.get('long'), map.get('b')]).to.deep.equal([[], 1, 4])
  })

  it('forgets a key, or only a value of it, and everything', async () => {
    const { time, map } = world()
    for (const key of ['a', 'b', 'c']) map.set(key, 1)
    map.delete('a')
    map.delete('b', 2)
    expect([map.get('a'), map.get('b'), map.size]).to.deep.equal([undefined, 1, 2])
    await time.pass(2_000)
    map.delete('b', 1)
    expect(map.size).to.equal(1)
    map.clear()
    expect(map.size).to.equal(0)
  })
})
