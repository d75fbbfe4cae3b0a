import { expect } from 'chai'
import { atWork } from './at-work.ts'

describe('a pass over an object that is deleted meanwhile', () => {
  it('leaves no time for another pass in the queue', async () => {
    const { queue, time, pass, workers } = atWork()
    queue.add('a/gone')
    ;(await pass()).end({ afterMs: 604_800_000 })
    await time.pass(0)
    expect(queue.entryCount).to.equal(0)
    await workers.stop()
  })
})
