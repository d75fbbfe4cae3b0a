import { expect } from 'chai'
import { ReadCache, type ReadResult } from '../../../common/program/read-cache.ts'
import { turn } from '../../virtual-time.ts'

/** Readings that end when the test says so. */
function world() {
  const readings = new ReadCache<string>()
  const ends: PromiseWithResolvers<ReadResult<string>>[] = []
  const read = () => {
    const end = Promise.withResolvers<ReadResult<string>>()
    ends.push(end)
    return end.promise
  }
  const end = async (index: number, reading: ReadResult<string> | Error) => {
    if (reading instanceof Error) ends[index]?.reject(reading)
    else ends[index]?.resolve(reading)
    await turn()
  }
  return { readings, ends, end, ask: (key = 'shop') => readings.of(key, read) }
}

const LASTING = { value: 'a', isLasting: true }
const PASSING = { value: 'a', isLasting: false }

describe('SharedReadings', () => {
  it('share a reading among all who ask while it is under way', async () => {
    const { ends, end, ask } = world()
    const answers = [ask(), ask()]
    await end(0, PASSING)
    expect([await Promise.all(answers), ends.length]).to.deep.equal([['a', 'a'], 1])
  })

  it('read each key by itself', () => {
    const { readings, ends, ask } = world()
    void ask('shop')
    void ask('stall')
    expect([ends.length, readings.size, readings.has('stall')]).to.deep.equal([2, 2, true])
  })

  it('keep a lasting value, and no other', async () => {
    const { readings, end, ask } = world()
    void ask('shop')
    void ask('stall')
    await end(0, LASTING)
    await end(1, PASSING)
    expect([readings.has('shop'), readings.has('stall')]).to.deep.equal([true, false])
  })

  it('throw what a reading throws to all who share it, and keep nothing', async () => {
    const { readings, end, ask } = world()
    const answers = [ask(), ask()].map((answer) => answer.catch((error: Error) => error.message))
    await end(0, new Error('broken'))
    expect([await Promise.all(answers), readings.size]).to.deep.equal([['broken', 'broken'], 0])
  })

  it('return what they forget, and read the key again', async () => {
    const { readings, ends, end, ask } = world()
    void ask()
    await end(0, LASTING)
    expect(await readings.forget('shop')).to.equal('a')
    expect(readings.forget('shop')).to.equal(undefined)
    void ask()
    expect(ends).to.have.length(2)
  })

  it('keep a later reading when one that was forgotten fails', async () => {
    const { readings, end, ask } = world()
    const first = ask().catch((error: Error) => error.message)
    void readings.forget('shop')
    const second = ask()
    await end(0, new Error('broken'))
    expect([await first, readings.has('shop')]).to.deep.equal(['broken', true])
    await end(1, LASTING)
    expect(await second).to.equal('a')
  })

  it('are empty after they were cleared', () => {
    const { readings, ask } = world()
    void ask()
    readings.clear()
    expect(readings.size).to.equal(0)
  })
})
