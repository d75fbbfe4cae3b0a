import { expect } from 'chai'
import { COALESCE_MS, PacedWakeups } from '../../../controller/wakeups/paced-wakeups.ts'
import { VirtualTime } from '../../virtual-time.ts'

function world() {
  const time = new VirtualTime()
  const woken: (readonly [key: string, atMs: number])[] = []
  const paced = new PacedWakeups({ add: (key) => void woken.push([key, time.now()]) }, time)
  return { time, woken, paced }
}

const keys = Array.from({ length: 1_000 }, (_, index) => `shop/${index}`)

describe('paced wakeups', () => {
  it('P3: are at most 20 in any second, in their order, and 1,000 are done within a minute', async () => {
    const { time, woken, paced } = world()
    paced.wake(keys)
    await time.pass(60_000)
    expect(woken.map(([key]) => key)).to.deep.equal(keys)
    const times = woken.map(([, atMs]) => atMs)
    expect([times[0], times.at(-1)]).to.deep.equal([COALESCE_MS, 54_950])
    const perSecond = times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length)
    expect(Math.max(...perSecond)).to.equal(20)
  })

  it('P3: stay at this rate whatever happens meanwhile: who waits keeps its turn, and who had it goes last', async () => {
    const { time, woken, paced } = world()
    paced.wake(keys)
    await time.pass(10_000)
    paced.wake(keys)
    await time.pass(60_000)
    expect(woken.slice(1_000).map(([key]) => key)).to.deep.equal(keys.slice(0, 101))
    expect(woken[1_000]?.[1]).to.equal(55_000)
  })

  it('come after a few seconds when there are few', async () => {
    const { time, woken, paced } = world()
    paced.wake(['shop/a'])
    await time.pass(1_000)
    paced.wake(['shop/a'])
    await time.pass(60_000)
    expect(woken.splice(0)).to.deep.equal([['shop/a', COALESCE_MS]])
    paced.wake(['shop/a'])
    await time.pass(60_000)
    expect(woken).to.deep.equal([['shop/a', 66_000]])
  })

  it('P3: leave their turn to the next when a pass has begun before', async () => {
    const { time, woken, paced } = world()
    paced.wake(keys)
    for (const key of keys.slice(0, 999)) paced.forget(key)
    await time.pass(COALESCE_MS)
    expect(woken).to.deep.equal([['shop/999', COALESCE_MS]])
    paced.wake(['shop/0'])
    await time.pass(COALESCE_MS)
    expect(woken.at(-1)?.[0]).to.equal('shop/0')
  })

  it('P3: let namespaces take turns, so that a large one does not delay the others', async () => {
    const { time, woken, paced } = world()
    paced.wake(keys)
    paced.wake(['bank/a', 'bank/b', 'mail/a'])
    await time.pass(COALESCE_MS + 300)
    const names = woken.map(([key]) => key)
    expect(names).to.deep.equal(['shop/0', 'bank/a', 'mail/a', 'shop/1', 'bank/b', 'shop/2', 'shop/3'])
  })

  it('P3: are at most 20 in any second also where all have to wait equally long', async () => {
    const { time, woken, paced } = world()
    paced.wake(keys, () => 30_000)
    paced.wake(['shop/5'])
    await time.pass(29_999)
    expect(woken).to.deep.equal([['shop/5', COALESCE_MS]])
    await time.pass(1_000)
    expect(woken).to.have.lengthOf(21)
  })

  it('keep nothing of an experiment that is gone', () => {
    const { paced } = world()
    paced.wake(['shop/a'])
    paced.forget('shop/a')
    expect(paced.size).to.equal(0)
  })

  it('end when they are stopped', async () => {
    const { time, woken, paced } = world()
    paced.wake(['shop/a'])
    paced.stop()
    paced.wake(['shop/b'])
    expect(time.pending).to.equal(0)
    await time.pass(60_000)
    expect(woken).to.deep.equal([])
  })
})
