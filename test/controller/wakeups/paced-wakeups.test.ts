import { expect } from 'chai'
import { COALESCE_MS, PacedWakeups } from '../../../controller/wakeups/paced-wakeups.ts'
import { VirtualTime } from '../../virtual-time.ts'

function world() {
  const time = new VirtualTime()
  const due: (readonly [key: string, dueMs: number])[] = []
  const paced = new PacedWakeups({ addAfter: (key, delayMs) => void due.push([key, time.now() + delayMs]) }, time)
  return { time, due, paced }
}

const keys = Array.from({ length: 1_000 }, (_, index) => `shop/${index}`)

describe('paced wakeups', () => {
  it('P3: are at most 20 in any second, in their order, and 1,000 are done within a minute', () => {
    const { due, paced } = world()
    paced.wake(keys)
    expect(due.map(([key]) => key)).to.deep.equal(keys)
    const times = due.map(([, dueMs]) => dueMs)
    expect([times[0], times.at(-1)]).to.deep.equal([COALESCE_MS, 54_950])
    const perSecond = times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length)
    expect(Math.max(...perSecond)).to.equal(20)
  })

  it('P3: stay at this rate whatever happens meanwhile: who waits keeps its turn, and who had it goes last', async () => {
    const { time, due, paced } = world()
    paced.wake(keys)
    await time.pass(10_000)
    paced.wake(keys)
    expect(due.slice(1_000).map(([key]) => key)).to.deep.equal(keys.slice(0, 101))
    expect(due[1_000]?.[1]).to.equal(55_000)
  })

  it('come after a few seconds when there are few', async () => {
    const { time, due, paced } = world()
    paced.wake(['shop/a'])
    await time.pass(1_000)
    paced.wake(['shop/a'])
    expect(due).to.deep.equal([['shop/a', COALESCE_MS]])
    await time.pass(60_000)
    paced.wake(['shop/a'])
    expect(due.at(-1)).to.deep.equal(['shop/a', 66_000])
  })

  it('keep nothing of an experiment that is gone', () => {
    const { paced } = world()
    paced.wake(['shop/a'])
    paced.forget('shop/a')
    expect([paced.entryCount, paced.isWaiting('shop/a')]).to.deep.equal([0, false])
  })
})
