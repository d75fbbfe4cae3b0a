import { expect } from 'chai'
import { SharePace } from '../../../controller/runtime/share-pace.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('the pace of shares', () => {
  it('R12: is ten seconds after the last write of this process, and none before the first', async () => {
    const time = new VirtualTime()
    const pace = new SharePace(time)
    expect(pace.waitMs('a/b')).to.equal(0)
    pace.noteWrite('a/b')
    await time.pass(4_000)
    expect([pace.waitMs('a/b'), pace.waitMs('a/c')]).to.deep.equal([6_000, 0])
    pace.noteWrite('a/b')
    expect(pace.waitMs('a/b')).to.equal(10_000)
    await time.pass(10_000)
    expect(pace.waitMs('a/b')).to.equal(0)
  })

  it('lets the numbers of pods of a contested fork wait for a minute', async () => {
    const time = new VirtualTime()
    const pace = new SharePace(time)
    pace.noteWrite('a/b')
    await time.pass(59_000)
    expect([pace.waitMs('a/b') <= 0, pace.podsWaitMs('a/b')]).to.deep.equal([true, 1_000])
    expect(pace.podsWaitMs('a/c')).to.equal(0)
  })

  it('remembers only the keys that were written in the last minute', async () => {
    const time = new VirtualTime()
    const pace = new SharePace(time)
    for (let index = 0; index < 1_000; index += 1) {
      pace.noteWrite(`a/${index}`)
      await time.pass(100)
    }
    expect(pace.size).to.equal(600)
  })
})
