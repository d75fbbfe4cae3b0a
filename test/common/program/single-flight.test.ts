import { expect } from 'chai'
import { SingleFlight } from '../../../common/program/single-flight.ts'
import { turn } from '../../virtual-time.ts'

/** Readings that end when the test says so, with their number as the value. */
function world() {
  const readings = new SingleFlight<number>()
  const ends: PromiseWithResolvers<number>[] = []
  const read = () => {
    const end = Promise.withResolvers<number>()
    ends.push(end)
    return end.promise
  }
  const settle = async (index: number) => {
    ends[index]?.resolve(index)
    await turn()
  }
  return { readings, ends, settle, ask: (key = 'shop') => readings.of(key, read) }
}

describe('SingleFlight', () => {
  it('starts the reading after the call: callers during a reading share the next one', async () => {
    const { ends, settle, ask } = world()
    const answers = [ask(), ask(), ask()]
    expect(ends).to.have.length(1)
    await settle(0)
    expect(ends).to.have.length(2)
    answers.push(ask())
    await settle(1)
    await settle(2)
    expect(await Promise.all(answers)).to.deep.equal([0, 1, 1, 2])
  })

  it('reads each key by itself and keeps nothing', async () => {
    const { readings, settle, ask } = world()
    const answers = [ask('a'), ask('b')]
    expect(readings.size).to.equal(2)
    await settle(1)
    await settle(0)
    expect(await Promise.all(answers)).to.deep.equal([0, 1])
    expect(readings.size).to.equal(0)
  })

  it('throws for the callers of a failed reading, not for those of the next', async () => {
    const { readings, ends, settle, ask } = world()
    const [first, second] = [ask(), ask()]
    ends[0]?.reject(new Error('broken'))
    expect(await first.catch((error: Error) => error.message)).to.equal('broken')
    await turn()
    await settle(1)
    expect(await second).to.equal(1)
    expect(readings.size).to.equal(0)
  })
})
