import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { Turn } from '../../webhook/turn.ts'

/** Whether others have their turn before a review goes on that has worked for so long. */
async function isInterrupted(workedMs: number, waitedMs = 0): Promise<boolean> {
  let nowMs = 0
  const turn = new Turn({ now: () => nowMs })
  nowMs += waitedMs
  if (waitedMs > 0) turn.begin()
  nowMs += workedMs
  const order: string[] = []
  const other = setImmediate().then(() => order.push('other'))
  await turn.giveWay().then(() => order.push('review'))
  await other
  return order[0] === 'other'
}

describe('the turn of a review', () => {
  it('ends when it was long', async () => {
    expect(await isInterrupted(2)).to.equal(true)
    expect(await isInterrupted(1.9)).to.equal(false)
  })

  it('does not count what it waited for others', async () => {
    expect(await isInterrupted(1, 500)).to.equal(false)
    expect(await isInterrupted(3, 500)).to.equal(true)
  })
})
