import { expect } from 'chai'
import { Retries } from '../../../controller/orphans/retries.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('Retries', () => {
  function world() {
    const time = new VirtualTime()
    return { time, retries: new Retries(time) }
  }

  it('O6: a sweep every 30 s tries again 30 s after the first failure, and every minute after the next ones', async () => {
    const { time, retries } = world()
    const tries: number[] = []
    for (let sweep = 0; sweep < 10; sweep += 1) {
      if (retries.isDue('a')) {
        tries.push(time.now() / 1_000)
        retries.failed('a')
      }
      await time.pass(30_000)
    }
    expect(tries).to.deep.equal([0, 30, 90, 150, 210, 270])
  })

  it('finds what is due although the timer of the sweep has run a little early', async () => {
    const { time, retries } = world()
    retries.failed('a')
    await time.pass(28_999)
    expect(retries.isDue('a')).to.equal(false)
    await time.pass(1)
    expect(retries.isDue('a')).to.equal(true)
  })

  it('counts failures in a row, for each id apart, until a success', () => {
    const { retries } = world()
    expect([retries.failed('a'), retries.failed('a'), retries.failed('b')]).to.deep.equal([1, 2, 1])
    expect(['a', 'b', 'c'].map((id) => retries.failuresOf(id))).to.deep.equal([2, 1, 0])
    retries.succeeded('a')
    expect([retries.isDue('a'), retries.isDue('b')]).to.deep.equal([true, false])
    expect([retries.failed('a'), retries.failed('b')]).to.deep.equal([1, 2])
  })

  it('forgets what is gone', () => {
    const { retries } = world()
    for (const id of ['a', 'b']) retries.failed(id)
    retries.keepOnly(new Set(['b', 'c']))
    expect(retries.size).to.equal(1)
    expect([retries.failed('a'), retries.failed('b')]).to.deep.equal([1, 2])
  })
})
